"""Everything that `validate` checks: what Kruise rejects, conflicts, and good practice. Pure."""
