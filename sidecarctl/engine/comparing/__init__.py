"""What a change does: fields, verdicts, an upgrade of Kruise, requests and images of sidecars."""
