"""Post what `sidecarctl diff` wrote on a pull request of GitHub, or update that of an earlier run (action.yml).

The comment is found by a hidden marker, with which it begins. If there is nothing new, or nothing could be compared,
only an earlier comment is updated, so that it does not stay as if true. A token without the right to write, as pull
requests from forks have, is no failure: the same text is in the summary of the job.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

_PAGE = 100
_MARKER = "<!-- sidecarctl diff -->"
_ONLY_UPDATES = "<!-- nothing new -->"
_FAILED = f"""{_MARKER}{_ONLY_UPDATES}
**sidecarctl could not compare this change.** The log of the job says why.
"""


def main(file: str, number: str) -> None:
    """Post or update the comment on the pull request with this number; without a file nothing was compared."""
    text = Path(file).read_text(encoding="utf-8") if file else _FAILED
    issues = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    try:
        found = next(
            (item for item in _comments(f"{issues}/{number}/comments") if item["body"].startswith(_MARKER)), None
        )
        if found:
            _asked(f"{issues}/comments/{found['id']}", "PATCH", {"body": text})
        elif not text.startswith(_MARKER + _ONLY_UPDATES):
            _asked(f"{issues}/{number}/comments", "POST", {"body": text})
    except HTTPError as fault:
        if fault.code not in (401, 403, 404):
            raise
        said = "no comment: the token needs pull-requests: write, which pull requests from forks do not have"
        sys.stdout.write(f"::notice title=sidecarctl::{said}\n")


def _comments(address: str) -> Iterator[Any]:
    page = 1
    while comments := _asked(f"{address}?per_page={_PAGE}&page={page}", "GET"):
        yield from comments
        page += 1


def _asked(address: str, method: str, body: object = None) -> Any:
    headers = {
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Accept": "application/vnd.github+json",
        "Content-Type": "application/json",
    }
    data = None if body is None else json.dumps(body).encode()
    request = Request(address, data, headers, method=method)  # noqa: S310 - the address is the runner's
    with urlopen(request) as answer:  # noqa: S310 - see above
        return json.load(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
