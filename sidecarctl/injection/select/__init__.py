"""Which SidecarSets are injected into a pod, and why others are not."""
