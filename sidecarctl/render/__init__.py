"""Reports as text, Markdown, HTML and JSON: blocks, their writers, and what these share."""
