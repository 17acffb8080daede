"""Cases recorded from Kruise, and the code that compares sidecarctl with them.

`python -m tests.conformance PATH...` runs any files or folders of that format.
"""
