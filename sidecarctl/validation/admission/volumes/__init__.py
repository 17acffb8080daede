"""What is rejected in volumes."""
