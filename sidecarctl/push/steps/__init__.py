"""How far each step has come."""
