"""Who calls the function: the protocol does not say, and the callers want different things."""

from collections.abc import Iterable
from enum import Enum, auto

from sidecarctl.facts.values import Object
from sidecarctl.krm.orchestrators.annotations import FUNCTION, KUSTOMIZE_ID, PATH, annotations_of


class Caller(Enum):
    """Kustomize drops results and wants validators to answer without items; kpt takes a missing item for deleted."""

    KUSTOMIZE = auto()
    KPT = auto()
    OTHER = auto()


def caller_of(items: Iterable[Object], function_config: Object | None) -> Caller:
    """Who calls, as told by the marks on the items, else on the functionConfig."""
    caller = Caller.OTHER
    for item in items:
        annotations = annotations_of(item)
        if KUSTOMIZE_ID in annotations:
            return Caller.KUSTOMIZE
        if PATH[0] in annotations:
            caller = Caller.KPT
    if caller is Caller.OTHER and function_config and any(key in annotations_of(function_config) for key in FUNCTION):
        return Caller.KUSTOMIZE
    return caller
