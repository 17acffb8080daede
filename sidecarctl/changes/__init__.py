"""Before and after: structural differences, JSON patches. Pure."""
