"""Reports as self-contained pages: facts become a page model, which a template renders."""
