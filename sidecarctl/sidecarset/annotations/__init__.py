"""The annotations that Kruise reads and writes on pods, entry by entry."""
