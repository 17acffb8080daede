"""Earlier versions of the repository: what a command line means by `git:REV`, and how the settings changed."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sidecarctl.cli.flags.inputs import InputFlags
from sidecarctl.cli.flags.repository import Repository, from_everywhere, read_settings, repository, settings_in
from sidecarctl.cli.invoked import asked_for
from sidecarctl.engine.config import changed_settings
from sidecarctl.engine.facts.errors import InputError, input_error
from sidecarctl.engine.facts.findings import Finding, Place, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.files.fixed_files import CONFIG, config_above, top_of, whole_path
from sidecarctl.engine.files.inputs import PREFIX, is_whole
from sidecarctl.engine.inputs.objects import Text
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.inputs.settings import Cluster

if TYPE_CHECKING:
    from sidecarctl.engine.files.git import Base


def earlier(inputs: InputFlags, names: Sequence[str]) -> Named:
    """Earlier manifests: if the settings name the PATHS, `git:REV` alone means those."""
    alone = inputs.alone(())._replace(side="old")
    if inputs.cluster.paths:
        return cluster_as_it_was(names, alone, inputs.cluster)
    return alone._replace(paths=names) if inputs.names_paths else as_it_was(names, alone)


def as_it_was(names: Sequence[str], named: Named) -> Named:
    """An earlier version of what `completed` adds to no PATHS; `named` has the options of the command line.

    `git:REV` alone means the paths in the settings of that revision, or else of now. Other names are read as they
    are, and so is a revision if there are no settings.
    """
    now = repository()
    if now is None:
        return named._replace(paths=names)
    named = from_everywhere(named, *names)
    for name in names:
        if not is_whole(name):
            named = named._replace(paths=[*named.paths, name])
            continue
        from sidecarctl.engine.files.git import at_revision  # few runs read revisions

        then = earlier_settings(name)
        used = then if then and (then.settings.sidecarsets or then.settings.paths) else now
        paths = [at_revision(name, os.path.join(used.folder, path)) for path in used.settings.paths or (".",)]  # noqa: PTH118 - a text
        sets = [at_revision(name, os.path.join(used.folder, path)) for path in used.settings.sidecarsets]  # noqa: PTH118 - a text
        if named.render and then and then.settings.render:
            named = named._replace(render=named.render._replace(entries=then.settings.render))
        named = named._replace(
            paths=[*named.paths, *filter(None, paths)],
            usual=[*named.usual, *filter(None, sets)],
            excluded=(then or now).exclusion,
        )
    return named


def cluster_as_it_was(names: Sequence[str], named: Named, cluster: Cluster, *, checkouts: bool = False) -> Named:
    """An earlier version of a cluster: `git:REV` means its own and shared files in that revision.

    With `checkouts` a folder is another checkout, and means those files in it; other names are read as they are. The
    cluster's own files replace shared ones. InputError if a folder lacks such a file.
    """
    for name in names:
        if not (is_whole(name) or (checkouts and not name.startswith(PREFIX))):
            named = named._replace(paths=[*named.paths, name])
            continue
        if not is_whole(name):
            _refuse_lacking(name, cluster)
        own, shared = ([*filter(None, (_then(name, path) for path in paths))] for paths in cluster[1:3])
        named = named._replace(paths=[*named.paths, *own], usual=[*named.usual, *shared], yields=True)
    return named


def _refuse_lacking(folder: str, cluster: Cluster) -> None:
    """InputError if a folder lacks paths of a cluster; in a checkout with settings they may be new."""
    here = repository()
    if here and (Path(folder) / CONFIG).exists():
        return
    lacking = [path for path in cluster.paths if not _then(folder, path)]
    if lacking:
        message = f"{folder} has no {', '.join(lacking)}, so there is nothing to compare cluster {cluster.name} with"
        hint = "it must be a copy of the current folder, with the same paths"
        raise input_error(Reason.UNREADABLE_FILE, message, hint=hint)


def based(names: Sequence[str]) -> list[str]:
    """Names of versions before a change, with the merge base in place of each revision that has other changes too."""
    bases = dict(_bases(names))
    return [bases[name].name if name in bases else name for name in names]


def _bases(names: Sequence[str]) -> Iterator[tuple[str, "Base"]]:
    if names:
        from sidecarctl.engine.files.git import base_of  # few runs read revisions

        yield from ((name, base) for name in names if (base := base_of(name)))


def _then(name: str, path: str) -> str:
    """A path in a revision, or in another checkout; empty if that has none.

    A path that is itself one of a revision is that path in the other one.
    """
    from sidecarctl.engine.files.git import at_revision, from_the_top  # few runs compare two checkouts

    if path.startswith(PREFIX):
        path = os.path.join(top_of(Path.cwd()) or ".", from_the_top(path, path.partition(":")[2].partition(":")[2]))  # noqa: PTH118 - a text
    if is_whole(name):
        return at_revision(name, os.path.abspath(path))  # noqa: PTH100 - links are not followed
    here = repository()
    there = Path(name, os.path.relpath(path, here.folder if here else None))
    return str(there) if there.exists() else ""


def earlier_settings(name: str) -> Repository | None:
    """The settings in an earlier version of the repository: a git revision, or a folder with another checkout.

    None if it has none, or only what cannot be read.
    """
    try:
        if not name.startswith(PREFIX):
            file = config_above(Path(name).absolute())
            return settings_in(file) if file else None
        from sidecarctl.engine.files.git import nearest_file  # few runs read revisions

        found = nearest_file(name, CONFIG)
        if found is None:
            return None
        source = Text(f"{PREFIX}{name.removeprefix(PREFIX).partition(':')[0]}:{found[0]}", found[1])
        return read_settings(source, str(Path(whole_path(source.name)).parent))
    except InputError:
        return None


def changes_since(names: Sequence[str], cluster: Cluster) -> list[Finding]:
    """What differs from earlier versions apart from the manifests: settings, and new clusters."""
    told = [
        note(Reason.MERGE_BASE, f"compared with {base.base}, where HEAD left {name} ({base.revision})")
        for name, base in _bases(names)
    ]
    names = based(names)
    lacking = [(name, path) for name in names if is_whole(name) for path in cluster.paths if not _then(name, path)]
    new = [note(Reason.NO_MANIFEST, f"{name} has no {path}: what is in it counts as new") for name, path in lacking]
    return [*told, *new, *_changed_settings(names)]


def _changed_settings(names: Sequence[str]) -> list[Finding]:
    """A warning for each setting that differs in earlier versions: a change may switch off its own gate."""
    if asked_for("no_config") is not False:
        return []
    now = repository()
    found: list[Finding] = []
    for name in names:
        then = earlier_settings(name)
        if not name.startswith(PREFIX) and (then is None or (now and then.folder == now.folder)):
            continue  # a folder that is not a checkout
        before, after = (each.document.value if each and each.document else {} for each in (then, now))
        changed = [item._replace(hint=f"compared with {name}") for item in changed_settings(before, after)]
        found += now.placed(changed) if now else [item._replace(place=Place(then.file)) for item in changed if then]
    return list(dict.fromkeys(found))
