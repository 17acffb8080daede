"""What Kruise's webhook and the API server reject (docs/behavior/validation.md), in modules by theme. Pure."""
