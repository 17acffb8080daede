"""What is rejected in containers and initContainers."""
