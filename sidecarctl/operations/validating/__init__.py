"""The input of a validation from manifests, and its result as facts."""
