"""Before and after: operations, JSON patches. Pure."""
