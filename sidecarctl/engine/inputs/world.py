"""The world of a run: everything that decides about pods, from all inputs together."""

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.field_table import did_you_mean
from sidecarctl.engine.api.label_selectors import Labels, as_labels
from sidecarctl.engine.api.text_forms import is_dns_label, is_label_value, is_qualified_name
from sidecarctl.engine.documents.reading.document import Document, GivenNamespace
from sidecarctl.engine.facts.errors import InputError, input_error, usage_error
from sidecarctl.engine.facts.findings import Finding, ObjectReference, RuleSettings, as_warning, error, has_name, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, natural, value_at
from sidecarctl.engine.inputs.first_look import DECIDING_KINDS
from sidecarctl.engine.inputs.objects import in_namespace, objects_of
from sidecarctl.engine.releases.release import DEFAULT, MASTER, Release
from sidecarctl.engine.sidecarset.admission import admit, with_recorded_hashes
from sidecarctl.engine.sidecarset.release_gaps import gaps
from sidecarctl.engine.sidecarset.revisions.controller_revisions import Revision, new_revision, read_revision
from sidecarctl.engine.sidecarset.sets import WHITELIST, WHITELIST_KEY, SidecarSet
from sidecarctl.engine.sidecarset.webhook_scope import WebhookScope, pod_webhook_of, unreadable_configuration
from sidecarctl.engine.sidecarset.world import Located, World, namespace_reference

_NO_SETTINGS = RuleSettings()
_NO_POD_WEBHOOK = "Kruise's MutatingWebhookConfiguration has no webhook for pods"


def decides(reference: ObjectReference, manifest: Object) -> bool:
    """Whether an object decides about pods, or is a ConfigMap that looks like the whitelist."""
    group, _, _ = reference.api_version.rpartition("/")
    if reference[:2] == WHITELIST[:2]:
        return reference.name == WHITELIST.name or value_at(manifest, ("data", WHITELIST_KEY)) is not None
    return DECIDING_KINDS.get(reference.kind) == group


def deciding(documents: Iterable[Document], file: str, given: GivenNamespace | None = None) -> Iterator[Located]:
    """The objects of some documents that decide about pods."""
    for document in documents:
        for each in objects_of(document.value):
            found = in_namespace(each, given)
            if decides(found.reference, found.manifest):
                yield Located(found.inherited | found.manifest, found.reference, file, document, found.path)


def is_sidecarset(found: Located) -> bool:
    """Whether a deciding object is a SidecarSet."""
    return found.reference.kind == "SidecarSet"


def without_yielding(found: Iterable[Located], yielding: Container[str]) -> tuple[list[Located], list[Finding]]:
    """The objects without the SidecarSets that others of the same name replace, and a note for each of those."""
    objects = list(found)
    others = {each.reference.name: each for each in objects if is_sidecarset(each) and each.file not in yielding}
    kept: list[Located] = []
    notes: list[Finding] = []
    for each in objects:
        other = others.get(each.reference.name) if is_sidecarset(each) and each.file in yielding else None
        if other is None:
            kept.append(each)
        elif other.manifest != each.manifest:
            notes += each.findings([note(Reason.LEFT_OUT, f"left out: {other.place()}, which was named, has it too")])
    return kept, notes


def _refuse_nameless(manifest: Object) -> None:
    """InputError for a SidecarSet without a name; the manifest must have passed `decoding.check`.

    Pods record what was injected by the name of the SidecarSet, so nothing can be computed for one that has none.
    """
    metadata = manifest.get("metadata") or {}
    if metadata.get("name"):
        return
    message, hint = "the name is missing", "write metadata.name"
    if metadata.get("generateName"):
        message += ": with generateName the API server chooses it when the SidecarSet is created"
    elif meant := [key for key in metadata if did_you_mean(key, ["name"])]:
        hint = f"did you mean name instead of {meant[0]}?"
    raise input_error(Reason.MISSING_FIELD, message, ("metadata", "name"), hint=hint)


def world_of(
    found: Iterable[Located],
    older: Iterable[Located] = (),
    *,
    trust_annotated_hash: bool = False,
    release: Release = DEFAULT,
    rules: RuleSettings = _NO_SETTINGS,
) -> tuple[World, list[Finding]]:
    """The world that some objects make, without what cannot be decoded in it, and the errors about that.

    `older` are earlier manifests of SidecarSets, used as their revisions. With `trust_annotated_hash` the hashes that
    a SidecarSet's manifest records are used, not the computed ones. `release` is the Kruise that admits all of them;
    what it does not know is an error, unless the rules allow it.
    """
    building = _Building(release, trust_annotated_hash=trust_annotated_hash)
    building.read(found, older)
    gaps = tuple(map(as_warning, building.gaps) if rules.allow_unknown else building.gaps)
    return building.world._replace(gaps=gaps, rules=rules), building.faults


class _Building:
    """Builds a world, object by object."""

    def __init__(self, release: Release, *, trust_annotated_hash: bool) -> None:
        self.release = release
        self.trusts = trust_annotated_hash
        self.sidecarsets: tuple[SidecarSet, ...] = ()
        self.sources: dict[str, Located] = {}
        self.namespaces: dict[str, Mapping[str, str]] = {}
        self.revisions: list[Revision] = []
        self.places: dict[ObjectReference, Located] = {}
        self.budgets: list[Located] = []
        self.pod_webhook: Object | None = None
        self.uncomputed: list[tuple[ObjectReference, Object]] = []
        self.faults: list[Finding] = []
        self.gaps: list[Finding] = []

    def read(self, found: Iterable[Located], older: Iterable[Located]) -> None:
        """Add everything; objects that cannot be decoded become faults."""
        for located in found:
            with _collecting(self.faults, located):
                self.add(located)
        self.sidecarsets = self._admitted_sets()
        for number, located in enumerate(older, len(self.revisions) + 1):
            with _collecting(self.faults, located):
                self.revisions.append(new_revision(self.admitted(located), number))

    @property
    def world(self) -> World:
        """The world of all objects added so far."""
        world = World(
            self.sidecarsets,
            self.namespaces,
            tuple(self.revisions),
            self.sources,
            self.places,
            tuple(self.budgets),
            release=self.release,
        )
        return world._replace(webhook=self._webhook(world.whitelist))

    def _webhook(self, whitelist: Object | None) -> WebhookScope:
        return WebhookScope(
            release=self.release,
            configured=self.pod_webhook or None,
            is_off=_NO_POD_WEBHOOK if self.pod_webhook == {} else "",
            refuses=unreadable_configuration(whitelist),
            others=tuple(sorted(self.uncomputed, key=lambda item: item[0][1:])),
        )

    def add(self, located: Located) -> None:
        """Add an object that decides; InputError if it cannot be decoded. SidecarSets are admitted later."""
        manifest, name = located.manifest, located.reference.name
        match located.reference.kind:
            case "SidecarSet" if not has_name(manifest):
                self.admitted(located)
            case "SidecarSet":
                other = self.sources.setdefault(name, located)
                if other.manifest != manifest:
                    self.faults += located.findings([_second(name, other)])
            case "Namespace":
                self.namespaces[name] = _labels(manifest)
                self.places[namespace_reference(name)] = located
            case "ConfigMap":
                self.places[ObjectReference("v1", "ConfigMap", located.reference.namespace, name)] = located
            case "MutatingWebhookConfiguration":
                found = pod_webhook_of(manifest)
                self.pod_webhook = self.pod_webhook if found is None else found
            case "ControllerRevision":
                self.revisions.append(read_revision(manifest))
            case kind:
                self.uncomputed.append((located.reference, manifest))
                if kind == "PodUnavailableBudget":
                    self.budgets.append(located)

    def _admitted_sets(self) -> tuple[SidecarSet, ...]:
        """The SidecarSets in the order in which people look for names; code that needs Kruise's order sorts them."""
        sets: list[SidecarSet] = []
        for located in self.sources.values():
            with _collecting(self.faults, located):
                admitted = self.admitted(located)
                sets.append(with_recorded_hashes(located.manifest, admitted) if self.trusts else admitted)
        return tuple(sorted(sets, key=lambda sidecarset: natural(sidecarset.name)))

    def admitted(self, located: Located) -> SidecarSet:
        """The SidecarSet as the cluster would hold it; InputError for one that no cluster accepts."""
        admitted = admit(located.manifest, self.release)
        _refuse_nameless(located.manifest)
        self.gaps += _gaps(located, self.release)
        return admitted


def _gaps(located: Located, release: Release) -> list[Finding]:
    """Findings about features of an admitted SidecarSet that a release does not know."""
    if release is MASTER:
        return []

    return located.findings(gaps(located.manifest, release))


@contextmanager
def _collecting(faults: list[Finding], located: Located) -> Iterator[None]:
    """Collect the findings of an unreadable object, so that all of them are reported at once."""
    try:
        yield
    except InputError as fault:
        faults += located.findings(fault.findings)


def _labels(namespace: Object) -> Mapping[str, str]:
    if problems := check(namespace, "core.Namespace"):
        raise InputError(*problems)
    return as_labels((namespace.get("metadata") or {}).get("labels"))


def _second(name: str, other: Located) -> Finding:
    message = f"SidecarSet {name} is also defined in {other.place()}, with different content"
    return error(
        Reason.DUPLICATE_SET,
        message,
        ("metadata", "name"),
        hint="keep only one of them, or leave one out with --exclude",
    )


OPTION = "--namespace-labels"
FORM = "NAMESPACE=KEY:VALUE,KEY:VALUE"
_HINT = (
    f"add the Namespaces with -s, or their labels with {OPTION} {FORM} or namespaceLabels of .sidecarctl.yaml; "
    "--allow-empty accepts this"
)


def parse_namespace_labels(texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """The labels by namespace; a namespace may come several times. UsageError for what has another form."""
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        name, _, labels = text.partition("=")
        pairs = [pair.partition(":") for pair in labels.split(",") if pair]
        found.setdefault(name, {}).update({key.strip(): value.strip() for key, _, value in pairs})
        if wrong := next(problems_of({name: found[name]}), "") or ("" if all(pair[1] for pair in pairs) else labels):
            raise usage_error(f"{OPTION} {text}: {wrong} is not of the form {FORM}", hint=f"{OPTION} shop=env:prod")
    return found


def problems_of(namespaces: Mapping[str, Labels]) -> Iterator[str]:
    """The parts that cannot be a name, a key or a value."""
    for name, labels in namespaces.items():
        if not is_dns_label(name):
            yield f'the namespace "{name}"'
        for key, value in labels.items():
            if not (is_qualified_name(key) and is_label_value(value)):
                yield f'the label "{key}:{value}"'


def contradictions(named: Mapping[str, Labels], world: World) -> Iterator[Finding]:
    """An error for each label that the Namespace among the inputs contradicts."""
    for name in named.keys() & world.namespaces.keys():
        for key, value in named[name].items():
            if world.namespaces[name].get(key) != value:
                has = f'"{world.namespaces[name][key]}"' if key in world.namespaces[name] else "absent"
                message = f'the label {key} of Namespace {name} is {has}, but {OPTION} says "{value}"'
                found = error(Reason.NAMESPACE_LABELS_DIFFER, message, ("metadata", "labels"), hint="leave out one")
                yield from world.others[namespace_reference(name)].findings([found])


def unknown_namespaces(names: Iterable[str], hint: str = _HINT) -> InputError:
    """The error for a run that injects nothing, and cannot know whether it should."""
    listed = sorted(names, key=natural)
    whose = f"namespace{'' if len(listed) == 1 else 's'} {', '.join(listed)}"
    message = f"nothing is injected, because the labels of {whose} are not known"
    return input_error(Reason.NAMESPACE_UNKNOWN, message, hint=hint)
