"""Which pods a SidecarSet updates, in which order and how many at once; the simulation of a rollout. Pure."""
