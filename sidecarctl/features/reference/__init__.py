"""What is known: rules, kinds, schemas, hashes, versions, completion and plugins."""
