"""What every report is laid out with: lines, tables, Markdown, JSON, unified diffs."""
