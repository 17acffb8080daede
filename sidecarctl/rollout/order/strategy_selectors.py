"""Label selectors inside an update strategy.

Source: docs/behaviour/rollout.md, "One round".
"""

from sidecarctl.api.label_selectors import Matches, UnknownOperatorError, compile_selector
from sidecarctl.facts.errors import impossible
from sidecarctl.facts.paths import Path
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object


def strategy_selector(selector: Object, path: Path) -> Matches:
    """A test of labels; ImpossibleError (MalformedSelector) for an operator that does not exist."""
    try:
        return compile_selector(selector)
    except UnknownOperatorError as unknown:
        where = (*path, "matchExpressions", unknown.index, "operator")
        raise impossible(Reason.MALFORMED_SELECTOR, str(unknown), where) from unknown
