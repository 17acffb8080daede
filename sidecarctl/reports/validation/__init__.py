"""Reports of `validate` and `rules`."""
