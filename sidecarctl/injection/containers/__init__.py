"""The container of a sidecar, and what it takes from its pod: mounts, env, resources."""
