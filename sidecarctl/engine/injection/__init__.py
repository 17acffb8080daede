"""From a pod and its SidecarSets to the injected pod, and back. Pure."""
