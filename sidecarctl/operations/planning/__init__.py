"""What a plan needs beside the rollout: the pods that workloads will have."""
