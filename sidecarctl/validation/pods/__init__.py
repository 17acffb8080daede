"""What becomes of the given pods: which are selected, and what the cluster says to them with their sidecars. Pure."""
