"""Builds the injected pod from the pod and what its SidecarSets inject."""
