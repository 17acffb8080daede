"""A document with its objects injected or uninjected, edited and proven."""
