"""The building blocks of reports: lines, tables, Markdown, JSON, unified diffs."""
