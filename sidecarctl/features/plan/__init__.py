"""What a plan needs in addition to the rollout: the pods that workloads will have."""
