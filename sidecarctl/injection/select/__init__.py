"""Which sets are injected into a pod, and why the others are not."""
