"""Tests against a real kube-apiserver; `make test-cluster` builds it, starts it and runs them."""
