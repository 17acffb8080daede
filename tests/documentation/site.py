"""A hook of MkDocs, so that the site works from a folder: links to files outside docs/, and the search."""

import re
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"\]\(((?:\.\./)+[^)#:]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files that pages link to, in a folder of their own."""
    found = {
        _outside(page.src_uri, link)
        for page in files.documentation_pages()
        for link in _LINK.findall(page.content_string)
    }
    for target in sorted(filter(None, found)):
        files.append(File.generated(config, _in_site(target), abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let the links of a page lead to these files."""
    del config, files
    own = page.file.src_uri

    def moved(link: re.Match[str]) -> str:
        target = _outside(own, link[1])
        return f"]({relpath(_in_site(target), dirname(own) or '.')}" if target else link[0]

    return _LINK.sub(moved, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """Replace the search, which starts a worker and requests its index, by one of scripts alone."""
    folder = Path(config.site_dir, "search")
    parts = [folder / "lunr.js", folder / "search_index.json"]
    library, documents = (part.read_text() for part in parts)
    (folder / "index.js").write_text(f"{library};\nconst documents = {documents};\n")
    (folder / "main.js").write_text(Path(__file__).with_name("search.js").read_text())
    for part in (*parts, folder / "worker.js"):
        part.unlink()


def _outside(page: str, link: str) -> str:
    """The path in the repository of what a page links to; empty for another page."""
    target = normpath(join("docs", dirname(page), link))
    return "" if target.startswith("docs/") or not (ROOT / target).is_file() else target


def _in_site(target: str) -> str:
    """The place of a file in the site: hidden files would be left out of it, and pages would be built."""
    name = target.removeprefix(".")
    return f"repository/{name}.txt" if name.endswith(".md") else f"repository/{name}"
