"""Writes the generated pages of docs/reference and man: `python -m tests.documentation`."""

from tests.documentation.manual import FOLDER, man_pages
from tests.documentation.reference import pages

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for page, text in (pages() | man_pages()).items():
        page.write_text(text, encoding="utf-8")
