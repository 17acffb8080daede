"""Several clusters at once."""
