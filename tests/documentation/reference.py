"""The reference pages, generated from the program: `python -m tests.documentation` writes them."""

import ast
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer

from sidecarctl.cli import formats
from sidecarctl.cli.app import app
from sidecarctl.engine.comparing.drift_states import DRIFTED
from sidecarctl.engine.comparing.verdicts import FAILS, Verdict
from sidecarctl.engine.facts import exit_codes
from sidecarctl.engine.rollout.facts import OBJECTIONS, UNFINISHED
from sidecarctl.engine.rollout.statuses import UNEXPECTED
from sidecarctl.render.run.formats import REPORT_FORMATS
from tests.cli.running import run
from tests.documentation.examples import DOCS, ROOT

FOLDER = DOCS / "reference"
_TOP: Any = typer.main.get_command(app)  # a group, seen as a command
COMMANDS: list[str] = _TOP.list_commands(None)

DOCUMENTS = {
    "plan": "`plan`, `rollback`",
    "sweep": "`plan --sweep`",
    "diff": "`diff OLD NEW`, `revisions diff`",
    "tree-diff": "`diff --before --after`",
    "kruise-upgrade": "`diff --kruise-from --kruise-to`",
    "status": "`status`",
    "drift": "`drift`",
    "images": "`images`",
    "fleet": "several clusters (`--cluster`), `merge`",
    "cost": "`cost`",
    "explain": "`explain`",
    "explain-set": "`explain --sidecarset`",
    "explain-clusters": "`explain`, several clusters",
    "reasons": "`explain --reasons`",
    "revision-list": "`revisions list`",
    "manifests": "`revisions make`, `revisions restore`",
    "validation": "`validate`",
    "test": "`test`",
    "rules": "`rules`",
    "rule": "`rules RULE`",
    "kinds": "`kinds`",
    "schema": "`schema`",
    "hash": "`hash`",
}
"""The kinds of documents that users ask for with `-o`, with the commands that print them."""

WITHOUT_OUTPUT = {"message"}
"""Kinds without a document: texts."""


_COMMANDS_HEAD = """\
# Commands

`PATHS` are files, folders (`.yaml`, `.yml`, `.json`, with their subfolders), `-` for standard input, or
`git:REV[:PATH]` (PATH from the top of the repository; `./PATH` from the current folder). In folders, what is hidden,
ignored by git, a Helm template or a kustomize patch is left out and counted. `-s PATH` adds read-only inputs:
SidecarSets, Namespaces, ControllerRevisions. SidecarSets found in `PATHS` are used too. Every option except overrides
such as `--force` can be set by an environment variable (`SIDECARCTL_NAMESPACE=shop`); what is the same for a whole
repository is in [its settings](settings.md). `--config FILE` reads options from a `SidecarInjection`, as the KRM
function does.

`--help` shows the options that people need first, `--help-all` every one, as here. This page is generated from
it (`python -m tests.documentation`).

| command | purpose |
| --- | --- |
"""


def pages() -> dict[Path, str]:
    """The text of each generated page."""
    return {
        FOLDER / "commands.md": "".join(_commands()),
        FOLDER / "formats.md": "".join(_formats()),
        FOLDER / "exit-codes.md": "".join(_exit_codes()),
        FOLDER / "settings.md": "".join(_settings()),
    }


def _commands() -> Iterator[str]:
    yield _COMMANDS_HEAD
    helps = {name: run(name, "--help-all").stdout.replace("Usage: root ", "Usage: sidecarctl ") for name in COMMANDS}
    listed = run("--help", env={"COLUMNS": "200"}).stdout
    for name in COMMANDS:
        [line] = [line for line in listed.splitlines() if line.split()[:1] == [name]]
        yield f"| [{name}](#{name}) | {line.split(None, 1)[1].strip()} |\n"
    for name, text in helps.items():
        body = "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
        yield f"\n## {name}\n\n```text\n{body}\n```\n"


def _formats() -> Iterator[str]:
    yield _FORMATS_HEAD
    for kind, commands in DOCUMENTS.items():
        yield f"| {commands} | {', '.join(formats.formats_of(kind))} |\n"
    yield _REPORTS_HEAD
    for name, contents in REPORT_FORMATS.items():
        yield f"| {name} | {contents} |\n"
    yield _SCHEMAS_HEAD
    for file in sorted((ROOT / "schemas").glob("*.json")):
        schema = json.loads(file.read_text())
        yield f"| {schema['title']} | {_cell(schema.get('description', ''))} |\n"


def _settings() -> Iterator[str]:
    yield _SETTINGS_HEAD
    for key, schema in json.loads((ROOT / "schemas" / "config.json").read_text())["properties"].items():
        yield f"| `{key}` | {_cell(schema['description'])} |\n"
    yield _SETTINGS_END


def _exit_codes() -> Iterator[str]:
    yield _EXIT_CODES_HEAD
    for code, meaning in pairwise(ast.parse(Path(exit_codes.__file__).read_text()).body):
        if isinstance(code, ast.Assign) and isinstance(meaning, ast.Expr):
            text = " ".join(ast.literal_eval(meaning.value).split())
            yield f"| {ast.literal_eval(code.value)} | {_cell(text)} |\n"
    yield _EXIT_CODES_END
    for command, (default, known) in FAIL_ON.items():
        yield f"| `{command}` | {_words(word for word in known if word in default) or 'none'} | {_words(known)} |\n"


def _words(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_SETTINGS_HEAD = """\
# Settings of a repository

`.sidecarctl.yaml` says where things are in a repository, and what should fail. All commands that read manifests use
it, on every machine:

```yaml
sidecarsets: [infra/k8s/platform/sidecarsets]
paths: [infra/k8s/apps, infra/k8s/clusters]
exclude: [infra/k8s/clusters/dev, fixtures]
kruise: "1.8"
failOn: {diff: [Rejected, SidecarLost], plan: [Stalled, Blocked, Error]}
severities: {no-resources: error}
ignore: [image-without-tag]
```

Then `sidecarctl validate`, `sidecarctl explain deployment/web` and `sidecarctl diff --before git:origin/main` need no
further options, in every folder of the repository. sidecarctl uses the file in the current folder or in the nearest
folder above it, up to the top of the git repository; only one is used. Its paths are relative to its folder. Reports
name it; `--no-config` ignores it.

The command line takes precedence. Each key says whether options replace it or add to it; an environment variable
counts like its option.

| key | meaning |
| --- | --- |
"""

_SETTINGS_END = """
An unknown key is an error, with its line. `sidecarctl schema config` prints the JSON Schema, for editors.

## What it cannot do

No key makes a command write files, read a cluster, or start a program: there is no `inPlace`, no `live`, and no
`git:` path. With `--live` the cluster's own SidecarSets and release are used, not those of the file. `-i` edits
only what the command line names. `push`, `render` and `rollback`, which follow a plan, and the KRM function do not
read it.

## What changed

`sidecarctl diff --before git:REV`, `sidecarctl validate --old git:REV` and `sidecarctl plan --from git:REV` compare
what the settings name now with what they named in that revision. `diff` and `validate` report a change of settings
as a warning at its line (`ConfigChanged`), since it may switch off what checks it; `--strict` makes it an
error.

## SidecarSets that are named as well

PATHS on the command line leave `sidecarsets` in force, so that `sidecarctl explain pods.yaml web-0` knows them. A
SidecarSet in PATHS replaces the one of the same name, and a note says so: `sidecarctl plan new-logs.yaml pods.json`.
`diff OLD NEW` and `diff --before DIR --after DIR` compare what is named, and nothing else.
"""

_FORMATS_HEAD = """\
# Formats

`-o FORMAT[=FILE]` writes the document of a reporting command, and `--report FORMAT[=FILE]` writes what a run found
and did, in every command. Both are repeatable. For transforming commands, `-o FORMAT` is the format of stdout. The
exit code is the same in every format.

## Documents (`-o`)

| commands | formats |
| --- | --- |
"""
_REPORTS_HEAD = """
`inject` and `uninject` print text (the edited input), yaml, json, jsonpatch and name, and so does `convert`. `render`
prints jsonpatch, merge, strategic, kubectl and pods. `push` prints events as text or json.

## Reports (`--report`)

| format | contents |
| --- | --- |
"""
_SCHEMAS_HEAD = """
json, sarif, junit, github and gitlab name files from the top of the git repository, wherever the command runs,
because code hosts do so (outside of a repository, from the current folder). Files elsewhere have absolute paths.
Inputs that are not files there, such as those of a git revision, are named in the message. Text, Markdown and
documents of `-o` name files as on the command line.

## Field paths

Fields are written as `spec.containers[0].image` and `metadata.labels[example.com/team]` everywhere. Only comparisons
of two versions name list items instead of counting them, because an item may have a different position in each:
`spec.containers[log-agent].image`.

## Schemas

Every JSON document has a JSON Schema in `schemas/`; `sidecarctl schema KIND` prints it.

| kind | contents |
| --- | --- |
"""
_EXIT_CODES_HEAD = """\
# Exit codes

The same in every command and every output format.

| code | meaning |
| --- | --- |
"""
_EXIT_CODES_END = """
A command that fails (2, 3, 4) writes nothing: stdout is empty and no file changes. A `--report` file is written
anyway, with what failed and where. With `--keep-going`, commands that transform manifests write the rest, and exit
with the code of the failure. `validate` reports a file that cannot be read, and always checks the others.

## What fails a command

`--fail-on` names the cases for exit code 1, separated by commas; `any` means all of them, `none` none. Other cases
are still in the document. A change that Kruise rejects, and errors in the inputs, always fail.

| command | by default | words |
| --- | --- | --- |
"""
FAIL_ON: Mapping[str, tuple[Collection[str], Sequence[str]]] = {
    "diff": (FAILS, [verdict for verdict in Verdict if verdict is not Verdict.NO_EFFECT]),
    "plan": (OBJECTIONS, UNFINISHED),
    "status": ((), UNEXPECTED),
    "drift": ((), DRIFTED),
}
"""The words of --fail-on, by default and all of them."""
