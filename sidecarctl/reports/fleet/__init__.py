"""Several clusters as text, Markdown, and a document."""
