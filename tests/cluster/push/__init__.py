"""`push` against a real API server: that it does what was planned, and what it does when the cluster does not."""
