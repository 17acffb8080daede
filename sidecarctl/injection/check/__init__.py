"""What cannot be done twice, or cannot be undone."""
