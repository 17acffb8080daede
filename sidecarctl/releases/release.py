"""The behaviour of one release of Kruise: a switch for each difference between releases.

Source: docs/behaviour/releases.md. The code that computes asks a switch by its name where the behaviour is;
no version number is compared anywhere.
"""

from typing import Literal

from sidecarctl import BEHAVIOUR

InitInjection = Literal["like containers", "own volumes, envs at the end", "neither volumes nor envs"]
HashEntries = Literal["with any container", "with a container that is no initContainer", "always"]


class Release:
    """One release, never changed; its own values are Kruise's master, others are made by `older`.

    `fields` names the release whose row of `known_fields` holds. The texts below the switches are those of the table
    in docs/behaviour/releases.md. A plain class, because it is loaded at every start.
    """

    name: str = "master"
    fields: str = "1.9"

    serves_v1beta1: bool = True
    """The API version v1beta1 of SidecarSet is known. Else such a set counts in its v1alpha1 form."""

    canary_sets: bool = True
    """The two canary annotations: the base gives way to its canary, and the canary rules are checked."""

    ties_in_base_order: bool = True
    """Pods of equal priority keep the base order. Else the one later in the list of pods goes first."""

    native_restarts_count: bool = True
    """Restarts of native sidecars count in the base order."""

    reset_ends_round: bool = True
    """Type NotUpdate and paused hold back a hot reset too, and a round that resets does nothing else.

    Else the reset comes first, whatever they say, and the round goes on with the pods as they were.
    """

    volume_devices: bool = True
    """Volumes behind volumeDevices are injected; a shared mount is not put on a devicePath of the sidecar."""

    missing_volumes_left_out: bool = True
    """A volumeMount whose volume the SidecarSet lacks brings no volume. Else the webhook crashes at the pod."""

    namespace_wins: bool = True
    """Of namespace and namespaceSelector in one set, namespace alone counts. Else a pod must satisfy both."""

    namespace_is_selector: bool = True
    """Validation takes namespace as a selector. Else: both together are refused, its text is not checked, and
    conflicts are looked for by the namespaces as they are now.
    """

    custom_version_field: bool = True
    """customVersion is a field. Else it is only a label of the set, which must be a label value."""

    old_volume_defaults: bool = False
    """The sources iscsi, rbd, azureDisk and scaleIO of volumes get defaults."""

    sort_gate: bool = True
    """There is the feature gate EnableSortSidecarContainerByName."""

    sleep_hooks: bool = True
    """A lifecycle hook may sleep, 1 to 30 seconds. Else any sleep is refused, where it is known at all."""

    trust_bundle_pem_path: bool = False
    """The path of findings about a clusterTrustBundle ends in clusterTrustBundlePEM."""

    percent_up: bool = True
    """Percentages of partition and maxUnavailable are rounded up (partition: but for one pod). Else down."""

    partial_policy: bool = True
    """The injection policy Partial. Else it is refused by the webhook alone, and counts as Always."""

    parses_odd_hosts: bool = True
    """An image whose host has upper-case letters, or is an IPv6 address, has a tag or none like any other.

    Else its imagePullPolicy is IfNotPresent by default.
    """

    partition_without_selector: bool = True
    """partition and selector of an updateStrategy are refused together."""

    proc_mount_check: bool = True
    """procMount Unmasked needs hostUsers false."""

    token_path_check: bool = True
    """The path of a projected serviceAccountToken must be relative."""

    init_containers_replace: bool = True
    """initContainers take the place of the pod's own of that name and obey podInjectPolicy.

    Else all of them come after the pod's own.
    """

    init_defaults: bool = True
    """podInjectPolicy, upgradeStrategy and shareVolumePolicy of initContainers get defaults."""

    namespace_bound_first: bool = True
    """Sets that are bound to the pod's namespace come before the others."""

    unset_policy_goes_last: bool = True
    """A container without podInjectPolicy (only from a revision) comes after the pod's own. Else before."""

    version_of_own_set: bool = True
    """injectionStrategy.revision.customVersion means a revision of that set. Else the newest of any set."""

    conflicts_only_if_valid: bool = True
    """Conflicts with other sets are looked for only where a set has no other error."""

    host_ips: bool = True
    """An env may take status.hostIPs."""

    selector_value_paths: bool = True
    """The error at a selector's value names the value."""

    init_probe_paths: bool = False
    """Probes and hooks of plain initContainers are checked inside, though refused in any case."""

    upgradable_condition: bool = True
    """Pods get the condition SidecarSetUpgradable, sets the event NotUpgradablePods."""

    patch_marker: bool = True
    """The data of revisions begin with "$patch": "replace"."""

    restores_by_name: bool = True
    """Data without that marker are merged into the present set list by list, each by name. Else whole lists."""

    init_injection: InitInjection = "like containers"
    """What an initContainer gets besides itself: volumes, transferEnv, shared mounts."""

    hash_entries: HashEntries = "with any container"
    """Which matching sets get an entry in the hash annotations of a pod."""

    token_volumes: bool = True
    """A volume may project a serviceAccountToken."""

    ephemeral_devices: bool = True
    """volumeDevices may name an ephemeral volume."""

    csi_secret_path: bool = True
    """The path of a finding about csi.nodePublishSecretRef.name has no space in it."""

    injected_list_grows: bool = True
    """The annotation injected-list of a pod keeps the names it has. Else it is written anew."""

    all_hot_entries: bool = True
    """The annotation working-hotupgrade-container names every hot container. Else only the last one."""

    empty_namespace_is_default: bool = True
    """A pod without a namespace counts as one of `default` where namespaces are compared."""

    strict_selectors: bool = False
    """A selector with values for Exists or none for In is an error at the pod. Else only an unknown operator."""

    stores_metadata_patches: bool = True
    """Revisions keep patchPodMetadata."""

    revision_at_injection: bool = True
    """The hash entry of an injected pod names the set's revision, where it is known."""

    always_names_revision: bool = False
    """Entries of both hash annotations have a controllerRevision, also an empty one."""

    reset_writes_hash: bool = False
    """A hot reset records the set's hash on the pod."""

    label_follows: bool = True
    """A changed custom version is written to the label of the latest revision."""

    skips_system_namespaces: bool = False
    """Pods of kube-system and kube-public are left alone."""

    skips_incomplete_pods: bool = False
    """A pod that lists the set but lacks one of its containers is not injected."""

    containers_may_be_added: bool = False
    """An update of a set may add a container."""

    last_conflict_only: bool = False
    """Of the other sets that have a name, only the last one is compared."""

    lists_plain_init_containers: bool = False
    """sidecarList in the hash annotations names plain initContainers too."""

    def older(self, name: str, **switches: bool | str) -> "Release":
        """A release with this one's values but for some switches; AttributeError for a switch that does not exist."""
        if unknown := switches.keys() - Release.__annotations__.keys():
            raise AttributeError(f"there is no switch {', '.join(unknown)}")
        made = Release()
        vars(made).update(vars(self) | switches | {"name": name})
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a release is never changed")

    def __repr__(self) -> str:
        return f"Release({self.name})"

    @property
    def behaviour(self) -> str:
        """The release in words, for reports."""
        return BEHAVIOUR if self.name == "master" else f"Kruise {self.name}"


MASTER = Release()
"""Kruise's master of July 2026: 1.9 with canary sets. What is computed where no release is named."""
