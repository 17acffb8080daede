"""The reference pages, generated from the program: `python -m tests.documentation` writes them."""

import ast
import json
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import typer

from sidecarctl.cli.app import app
from sidecarctl.facts import exit_codes
from sidecarctl.reports import formats
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
    "explain": "`explain`",
    "explain-set": "`explain --sidecarset`",
    "reasons": "`explain --reasons`",
    "revision-list": "`revisions list`",
    "manifests": "`revisions make`, `revisions restore`",
    "validation": "`validate`",
    "rules": "`rules`",
    "schema": "`schema`",
    "hash": "`hash`",
}
"""The kinds of documents that users ask for with `-o`, with the commands that print them."""

WITHOUT_OUTPUT = {"message", "render", "run", "push"}
"""Kinds without a document: texts, artefacts of transforming commands, events."""


_COMMANDS_HEAD = """\
# Commands

`PATHS` are files, folders (`.yaml`, `.yml`, `.json`; `-R` descends into subfolders), `-` for standard input, or
`git:REV[:PATH]`. `-s PATH` adds read-only inputs: SidecarSets, Namespaces, ControllerRevisions. SidecarSets found in
`PATHS` are used too. Every option except overrides such as `--force` can be set by an environment variable
(`SIDECARCTL_NAMESPACE=shop`). `--config FILE` reads options from a `SidecarInjection`, as the KRM function does.

This page is generated from `--help` (`python -m tests.documentation`).

| command | purpose |
| --- | --- |
"""


def pages() -> dict[Path, str]:
    """The text of each generated page."""
    return {
        FOLDER / "commands.md": "".join(_commands()),
        FOLDER / "formats.md": "".join(_formats()),
        FOLDER / "exit-codes.md": "".join(_exit_codes()),
    }


def _commands() -> Iterator[str]:
    yield _COMMANDS_HEAD
    helps = {name: run(name, "--help").stdout.replace("Usage: root ", "Usage: sidecarctl ") for name in COMMANDS}
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
        yield f"| {commands} | {', '.join(formats._DOCUMENTS[kind])} |\n"
    yield _REPORTS_HEAD
    for form in formats.REPORT_FORMS:
        yield f"| {form} | {_purpose(form)} |\n"
    yield _SCHEMAS_HEAD
    for file in sorted((ROOT / "schemas").glob("*.json")):
        schema = json.loads(file.read_text())
        yield f"| {schema['title']} | {_cell(schema.get('description', ''))} |\n"


def _purpose(form: str) -> str:
    module = import_module(f"sidecarctl.reports.{formats._REPORTS[form].partition(':')[0]}")
    return (module.__doc__ or "").partition("\n")[0]


def _exit_codes() -> Iterator[str]:
    yield _EXIT_CODES_HEAD
    for code, meaning in pairwise(ast.parse(Path(exit_codes.__file__).read_text()).body):
        if isinstance(code, ast.Assign) and isinstance(meaning, ast.Expr):
            text = " ".join(ast.literal_eval(meaning.value).split())
            yield f"| {ast.literal_eval(code.value)} | {_cell(text)} |\n"
    yield _EXIT_CODES_END


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_FORMATS_HEAD = """\
# Formats

`-o FORM[=FILE]` is the document of reporting commands, and the artefact of transforming ones. `--report FORM[=FILE]`
is what a run found and did, in every command. Both are repeatable. The exit code is the same in every form.

## Documents (`-o`)

| commands | forms |
| --- | --- |
"""
_REPORTS_HEAD = """
`inject` and `uninject` print text (the edited input), yaml, json, jsonpatch and name, and so does `convert`. `render`
prints jsonpatch, merge, strategic, kubectl and pods. `push` prints events as text or json.

## Reports (`--report`)

| form | contents |
| --- | --- |
"""
_SCHEMAS_HEAD = """
## Field paths

Fields are written as `spec.containers[0].image` and `metadata.labels[example.com/team]` everywhere. Only where two
versions are compared, items of lists are named instead of counted, since the same item may have another place in
each: `spec.containers[log-agent].image`.

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
A command that fails (2, 3, 4) writes nothing: stdout is empty and no file changes. A `--report` file is written all
the same, with what failed and where. With `--keep-going`, commands that transform manifests write the rest, and exit
with the code of the failure. `validate`, whose subject is broken files, checks the others all the same.
"""
