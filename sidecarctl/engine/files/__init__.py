"""Files, folders, standard input and worker processes."""
