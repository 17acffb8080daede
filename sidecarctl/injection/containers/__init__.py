"""A sidecar's container, and what it takes from the pod that it joins."""
