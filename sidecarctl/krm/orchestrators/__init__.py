"""Ways of kustomize and kpt that a function has to know: their annotations, comments and validators."""
