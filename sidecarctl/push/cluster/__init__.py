"""What touches the cluster: reading it, watching it, sending patches."""
