"""Access to the cluster: reading, watching, sending patches."""
