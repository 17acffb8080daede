"""New values as text: block style, flow style, quoting."""
