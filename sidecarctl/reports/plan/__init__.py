"""Reports of a rollout plan."""
