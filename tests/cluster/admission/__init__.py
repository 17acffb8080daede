"""What a real API server answers to injected pods, and what validate says of them beforehand."""
