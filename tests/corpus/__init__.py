"""The promises of inject and uninject, tried on folders of other people's manifests: `make corpus DIR=...`."""
