"""A pod and the sets chosen for it: the injected pod, and back. Pure."""
