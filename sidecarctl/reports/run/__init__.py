"""What a run found and did, object by object."""
