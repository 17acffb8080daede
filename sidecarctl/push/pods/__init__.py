"""Pods as they are: what the plan expects of them, how they fare, how many may be unavailable."""
