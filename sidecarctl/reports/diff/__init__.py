"""Reports of what a change does."""
