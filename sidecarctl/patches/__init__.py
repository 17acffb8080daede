"""The patches of a plan, in the forms that the API server takes. Pure."""
