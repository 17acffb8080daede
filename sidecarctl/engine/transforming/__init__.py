"""A manifest with sidecars injected into its pods, or taken out of them."""
