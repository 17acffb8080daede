"""From the checks to the end: threads, signals, the loop."""
