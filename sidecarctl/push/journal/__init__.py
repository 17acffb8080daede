"""What was done, on the disk; and that nobody else does the same."""
