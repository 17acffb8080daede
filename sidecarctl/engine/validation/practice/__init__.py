"""Good practice: what Kruise and the API server accept, but is most likely a mistake, in modules by theme. Pure."""
