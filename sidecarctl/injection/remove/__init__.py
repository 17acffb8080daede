"""An injected pod, to the pod as it was."""
