"""The simulation of a rollout, round by round, with a simulated kubelet."""
