"""What runs in pods and what it costs, counted over a dump, a cluster, or the pods that workloads would have."""
