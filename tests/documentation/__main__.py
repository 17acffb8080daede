"""Writes the generated pages of docs/reference: `python -m tests.documentation`."""

from tests.documentation.reference import pages

if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text, encoding="utf-8")
