"""What takes how long, measured; run by `make bench`, not by tests."""
