"""SidecarSets that would write the same things into one pod, by Kruise's rule and exactly. Pure."""
