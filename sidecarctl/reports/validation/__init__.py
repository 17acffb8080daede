"""Reports of a validation, and of the rules that it goes by."""
