"""The API version of the documents that sidecarctl itself writes and reads (schemas/)."""

API_VERSION = "sidecarctl.dev/v1alpha1"
