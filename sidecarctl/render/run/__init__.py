"""The report of a run: findings, and the outcome of each object."""
