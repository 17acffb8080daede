"""Lists of very many objects, read item by item."""
