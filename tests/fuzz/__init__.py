"""Fuzzing of the reader and of inject, by `make fuzz`: what crashes them becomes a case among the tests."""
