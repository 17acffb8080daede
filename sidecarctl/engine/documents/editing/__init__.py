"""Edits of a document's text that change only what must change, and their verification."""
