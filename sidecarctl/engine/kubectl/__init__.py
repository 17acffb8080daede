"""Speaks to the cluster through kubectl: the only package that starts another program, worker processes aside."""
