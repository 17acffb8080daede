"""Reading the two versions that `diff` compares."""

from collections.abc import Sequence

from sidecarctl.cli.collector import without_collector
from sidecarctl.cli.flags.diff import DiffRequest
from sidecarctl.cli.readings import How, Reading, reading
from sidecarctl.cli.worlds import opened
from sidecarctl.facts.errors import input_error, usage_error
from sidecarctl.facts.reasons import Reason
from sidecarctl.inputs.world import World


def read_version(request: DiffRequest, paths: Sequence[str]) -> Reading:
    """What some of the paths hold; nothing for none."""
    if not paths:
        return Reading()
    how = How(request.namespace, request.kinds(), trust_annotated_hash=request.trust_annotated_hash, allow_empty=True)
    with opened(request.named(paths), lenient=True) as sources, without_collector():
        return reading(sources, request.reader(), how)


def refuse_emptiness(request: DiffRequest, old: Reading, new: Reading) -> None:
    """InputError where neither version has a set, UsageError where there is none of a name that is asked for."""
    names = {*old.world.sources, *new.world.sources}
    if not (names or old.failures or new.failures):
        raise input_error(Reason.NO_SIDECARSET, "there is no SidecarSet in either version")
    for name in request.only:
        if name not in names:
            known = ", ".join(sorted(names))
            raise usage_error(f"--only {name}: there is no such SidecarSet", hint=f"there are {known}")


def only_sets(world: World, names: Sequence[str]) -> World:
    """The world with the named sets alone; with all where none is named."""
    if not names:
        return world
    return world._replace(sidecarsets=tuple(one for one in world.sidecarsets if one.name in names))
