"""Good practice: what Kruise and the API server accept, but is hardly intended, in modules by theme. Pure."""
