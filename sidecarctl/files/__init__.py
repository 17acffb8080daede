"""Files, folders, stdin and worker processes."""
