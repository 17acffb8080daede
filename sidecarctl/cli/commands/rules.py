"""`sidecarctl rules`."""

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags.groups import command as typer_command
from sidecarctl.cli.flags.reporting import DocumentFlags
from sidecarctl.operations.report import Report
from sidecarctl.reports.validation.rules import Rules


@typer_command
def command(reporting: DocumentFlags) -> None:
    """List the rules of `validate`.

    Forms (-o): text, json, yaml. `validate --explain RULE` shows a rule with examples.

    Example:  sidecarctl rules -o json
    """

    def run() -> Report[Rules]:
        from sidecarctl.validation.catalogue import rules_by_theme

        return Report("rules", rules_by_theme())

    conclude(run, reporting, "rules")
