"""Reference commands: rules, kinds, schemas, hashes, versions, completion and plugins."""
