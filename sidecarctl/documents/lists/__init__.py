"""Very long lists, read item by item."""
