"""Several clusters at once: what each cluster's document says, and what all of them say together."""
