"""Reports of the status of SidecarSets."""
