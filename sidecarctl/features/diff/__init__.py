"""Two versions of a SidecarSet, and the pods that the change affects."""
