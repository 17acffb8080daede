"""Edits made in a document's text, where only what must change changes, and their proof."""
