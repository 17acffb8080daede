"""One folder a feature: its commands, its computation, its report."""
