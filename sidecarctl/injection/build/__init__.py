"""The injected pod, put together from the pod and what its sets inject."""
