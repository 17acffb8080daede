"""Round after round to the end of a rollout, with a simulated kubelet."""
