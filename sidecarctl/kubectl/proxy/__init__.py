"""The API server spoken to through one `kubectl proxy`: the user's contexts, credentials and plugins just work."""
