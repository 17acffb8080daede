"""What is read and checked before the first patch."""
