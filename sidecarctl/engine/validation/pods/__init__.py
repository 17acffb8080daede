"""What happens to the given pods: which are selected, and how the cluster reacts to them with sidecars. Pure."""
