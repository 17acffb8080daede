"""Pods as a rollout sees them: the members of a SidecarSet, and the progress of each."""
