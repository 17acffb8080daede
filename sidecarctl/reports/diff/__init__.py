"""Reports of `diff`."""
