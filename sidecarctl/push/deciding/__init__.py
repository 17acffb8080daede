"""What is done next: no clock, no network."""
