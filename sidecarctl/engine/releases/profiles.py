"""The table of releases: how each differs from the next newer one, in its behavior and in the API fields it knows.

Source: docs/behavior/releases.md, which describes this table, and "Known fields" there. Types are those of the field
table (`api.field_table`).
"""

from collections.abc import Mapping
from functools import cache

from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.releases.release import DEFAULT, MASTER, Release

R1_9 = DEFAULT
R1_8 = R1_9.older(
    "1.8",
    fields="1.8",
    budget_words="DELETE, UPDATE, EVICT",
    serves_v1beta1=False,
    ties_in_base_order=False,
    native_restarts_count=False,
    reset_ends_round=False,
    volume_devices=False,
    missing_volumes_left_out=False,
    namespace_wins=False,
    namespace_is_selector=False,
    custom_version_field=False,
    old_volume_defaults=True,
    sort_gate=False,
    image_limit_without_host=False,
    sleep_hooks=False,
    trust_bundle_pem_path=True,
)
R1_7 = R1_8.older(
    "1.7",
    fields="1.7",
    budget_counts_down=False,
    budget_total="where none is counted",
    budget_of_any_pod=False,
    percent_up=False,
    probe_marker_gate=False,
    old_json_escapes=True,
    partial_policy=False,
    parses_odd_hosts=False,
    partition_without_selector=False,
    proc_mount_check=False,
    token_path_check=False,
    trust_bundle_pem_path=False,
)
R1_7_0 = R1_7.older("1.7.0", fields="1.7", lists_plain_init_containers=True)
R1_6 = R1_7.older(
    "1.6",
    fields="1.6",
    enhanced_liveness=False,
    init_containers_replace=False,
    init_defaults=False,
    namespace_bound_first=False,
    unset_policy_goes_last=False,
    version_of_own_set=False,
    conflicts_only_if_valid=False,
    survives_missing_selector=False,
    host_ips=False,
)
R1_5 = R1_6.older(
    "1.5",
    completed_annotation=False,
    fields="1.5",
    selector_value_paths=False,
    init_probe_paths=True,
    budget_frees_inconsistent=False,
)
R1_5_1 = R1_5.older("1.5.1", chart_leaves_out="Kruise itself")
"""The release 1.5, except for its Helm chart."""

R1_4 = R1_5.older(
    "1.4",
    chart_leaves_out="any control-plane label",
    chart_ignores_failures=True,
    fields="1.4",
    upgradable_condition=False,
    patch_marker=False,
    restores_by_name=False,
    init_injection="own volumes, envs at the end",
    hash_entries="with a container that is not an initContainer",
    token_volumes=False,
    ephemeral_devices=False,
    csi_secret_path=False,
)
R1_3 = R1_4.older(
    "1.3",
    new_gates_are_on=False,
    terminates_sidecars=False,
    fields="1.3",
    budget_of_none_frees=False,
    budget_words="DELETE, UPDATE",
    budget_total="never",
    budget_everywhere=False,
    hash_entries="always",
    injected_list_grows=False,
    all_hot_entries=False,
    empty_namespace_is_default=False,
)
R1_2 = R1_3.older(
    "1.2",
    fields="1.2",
    budget_percent_up=False,
    budget_words_may_be_empty=False,
    budget_labels=False,
    strict_selectors=True,
    stores_metadata_patches=False,
    revision_at_injection=False,
    always_names_revision=True,
    reset_writes_hash=True,
    label_follows=False,
    skips_system_namespaces=True,
)
R1_1 = R1_2.older(
    "1.1",
    derived=True,
    adds_later_steps=False,
    budget_annotations=False,
    containers_may_be_added=True,
)
R1_0 = R1_1.older(
    "1.0",
    derived=False,
    fields="1.0",
    init_injection="neither volumes nor envs",
    skips_incomplete_pods=True,
    last_conflict_only=True,
)

_NEWEST_FIRST = (MASTER, R1_9, R1_8, R1_7, R1_7_0, R1_6, R1_5, R1_5_1, R1_4, R1_3, R1_2, R1_1, R1_0)
PROFILES = {release.name: release for release in _NEWEST_FIRST if release is not R1_5_1}
"""All releases that --kruise accepts, newest first."""

PATCH_RELEASES = {
    "1.9": ("1.9.0",),
    "1.8": ("1.8.0", "1.8.1", "1.8.2", "1.8.3", "1.8.4"),
    "1.7": ("1.7.1", "1.7.2", "1.7.3", "1.7.4"),
    "1.6": ("1.6.0", "1.6.1", "1.6.2", "1.6.3", "1.6.4"),
    "1.5": ("1.5.2", "1.5.3", "1.5.4", "1.5.5"),
    "1.4": ("1.4.0", "1.4.1", "1.4.2"),
    "1.3": ("1.3.0",),
    "1.2": ("1.2.0",),
    "1.1": ("1.1.0",),
    "1.0": ("1.0.1",),
}
"""The patch releases that behave like a profile."""


_NUMBER = lazy_pattern(r"v?([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?")
_BY_PATCH = {patch: name for name, patches in PATCH_RELEASES.items() for patch in patches}
_REASONS = {
    "1.7.5": "its tag is the commit of 1.8.3, so the code that runs is unknown",
    "1.0.0": "it stores no ControllerRevisions",
    "1.5.0": "its revisions behave like 1.4, its pods like 1.5",
}
_NEAREST = {"1.7.5": ("1.7", "1.8"), "1.5.0": ("1.4", "1.5")}


class UnknownReleaseError(ValueError):
    """A text that names no known release; `why` not, and the `nearest` names to choose from."""

    def __init__(self, text: str, why: str, nearest: tuple[str, ...]) -> None:
        super().__init__(f'"{text}" {why}')
        self.why = why
        self.nearest = nearest


def release_named(text: str) -> Release:
    """The release with a name such as `1.7`, `1.7.4`, `v1.7.4` or `master`; else UnknownReleaseError.

    A patch release that is not known itself is computed as its minor release, which then `stands_for` it.
    """
    if text == "master":
        return PROFILES[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        raise UnknownReleaseError(text, "is not a release of Kruise", tuple(PROFILES))
    plain = text.removeprefix("v")
    if plain == R1_5_1.name:
        return R1_5_1
    name = _BY_PATCH.get(plain, plain)
    if name in PROFILES:
        return PROFILES[name]
    major, minor, _ = number.groups()
    known = PROFILES.get(f"{major}.{minor}")
    if known and plain not in _REASONS:
        return known.older(known.name, stands_for=plain)
    why = _REASONS.get(plain, "its behavior was not recorded")
    raise UnknownReleaseError(text, f"is not supported: {why}", _NEAREST.get(plain) or _near(int(major), int(minor)))


def running_release_named(text: str) -> Release:
    """The release that computes what a cluster runs; else UnknownReleaseError.

    For an unknown newer release it is the newest one, with `stands_for` set to the real name.
    """
    try:
        return release_named(text)
    except UnknownReleaseError:
        number = _NUMBER.match(text)
        if number is None or _near(int(number[1]), int(number[2])) != (DEFAULT.name, MASTER.name):
            raise
        return DEFAULT.older(DEFAULT.name, stands_for=text)


def precedes(release: Release, other: Release) -> bool:
    """Whether a release came before another one."""
    names = [item.name for item in _NEWEST_FIRST]
    return names.index(release.name) > names.index(other.name)


def _near(major: int, minor: int) -> tuple[str, ...]:
    """The profiles nearest to an unknown version: the one below and the one above."""
    known = sorted((tuple(map(int, name.split("."))), name) for name in PATCH_RELEASES)
    wanted = (major, minor)
    below = [name for version, name in known if version <= wanted][-1:]
    above = [name for version, name in known if version > wanted][:1]
    return (*below, *above) if above else (*below, "master")


def _of_both(kind: str, *names: str) -> set[tuple[str, str]]:
    return {(f"{version}.{kind}", name) for version in ("v1alpha1", "v1beta1") for name in names}


LOST: Mapping[str, set[tuple[str, str]]] = {
    "1.8": {
        *_of_both("SidecarContainer", "resourcesPolicy", "shareVolumeDevicePolicy"),
        ("core.ResourceClaim", "request"),
        ("core.Volume", "image"),
    },
    "1.7": {
        ("core.LifecycleHandler", "sleep"),
        ("core.VolumeMount", "recursiveReadOnly"),
        ("core.SecurityContext", "appArmorProfile"),
        ("core.VolumeProjection", "clusterTrustBundle"),
        ("core.PersistentVolumeClaimSpec", "volumeAttributesClassName"),
    },
    "1.6": {
        *_of_both("SidecarContainer", "restartPolicy", "resizePolicy"),
        ("core.Container", "restartPolicy"),
        ("core.Container", "resizePolicy"),
    },
    "1.5": {("core.ResourceRequirements", "claims"), ("core.TypedObjectReference", "namespace")},
    "1.4": {("core.Probe", "grpc"), *_of_both("SidecarSetUpdateStrategy", "priorityStrategy")},
    "1.3": _of_both("SidecarSetSpec", "namespaceSelector"),
    "1.2": {
        *_of_both("SidecarSetInjectionStrategy", "revision"),
        *_of_both("SidecarSetSpec", "patchPodMetadata"),
    },
    "1.0": {
        ("core.Probe", "terminationGracePeriodSeconds"),
        ("core.WindowsSecurityContextOptions", "hostProcess"),
        ("core.PersistentVolumeClaimSpec", "dataSourceRef"),
    },
}
"""Type and name of each field that a release and all earlier ones do not know."""

GAINED: Mapping[str, Mapping[str, tuple[tuple[str, str], ...]]] = {
    "1.7": {"core.VolumeResourceRequirements": (("claims", "[]core.ResourceClaim"),)},
    "1.6": {"core.VolumeResourceRequirements": (("claims", "[]core.ResourceClaim"),)},
    "1.0": {"core.EphemeralVolumeSource": (("readOnly", "bool"),)},
}
"""By release and type, the names and types of fields that newer releases do not have; they come last."""

_ORDER = ("1.9", *LOST)


@cache
def lost(row: str) -> frozenset[tuple[str, str]]:
    """Type and name of every table field that the releases of a row (`Release.fields`) do not know."""
    newer = _ORDER[: _ORDER.index(row) + 1]
    return frozenset(pair for name in newer for pair in LOST.get(name, ()))


def has_native_sidecars(release: Release) -> bool:
    """Whether a release knows restartPolicy of initContainers; the others drop it."""
    return ("core.Container", "restartPolicy") not in lost(release.fields)


def gained(row: str, type_name: str) -> tuple[tuple[str, str], ...]:
    """Name and type of each field of a type that only the releases of a row know."""
    return GAINED.get(row, {}).get(type_name, ())
