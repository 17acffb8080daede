"""Pods as a rollout sees them: members of a set, and how far each has come."""
