"""A command over several clusters: run for each, then joined."""
