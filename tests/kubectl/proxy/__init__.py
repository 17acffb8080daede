"""Tests of the API spoken to through a proxy."""
