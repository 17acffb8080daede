"""Several clusters at once: the document of each, and all of them joined."""
