"""What happens, as facts, lines and JSON."""
