"""The commands as operations on a world; each returns a report. Pure."""
