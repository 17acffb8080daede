"""What Kruise does, and how its inputs are read: pure except for inputs, files and kubectl."""
