"""Inject, uninject, plan, diff, status as operations on a world; each returns a report. Pure."""
