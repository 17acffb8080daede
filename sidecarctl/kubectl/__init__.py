"""The cluster, as kubectl sees it: the only package that starts another program (worker processes aside)."""
