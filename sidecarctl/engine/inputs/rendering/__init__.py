"""What is deployed, rendered from kustomizations and charts by the user's tools."""
