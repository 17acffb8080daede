"""What Kruise does, and how its inputs are read: pure but for inputs, files and kubectl."""
