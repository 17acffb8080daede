"""Good practice: what nobody rejects, but is hardly intended, in modules by theme. Pure."""
