"""The behavior of one release of Kruise: a switch for each difference between releases.

Source: docs/behavior/releases.md. The code that computes a behavior reads the switch by
name; nothing compares version numbers.
"""

from typing import Literal

InitInjection = Literal["like containers", "own volumes, envs at the end", "neither volumes nor envs"]
ChartRule = Literal["any control-plane label", "Kruise itself", "Kruise and kube-system"]
BudgetWords = Literal["DELETE, UPDATE", "DELETE, UPDATE, EVICT", "DELETE, UPDATE, EVICT, RESIZE"]
BudgetTotal = Literal["always", "where none is counted", "never"]
HashEntries = Literal["with any container", "with a container that is not an initContainer", "always"]


class Release:
    """A release, immutable; the default values are Kruise's master, `older` derives the others.

    `fields` names the row of known fields (`releases.profiles`) that applies; `stands_for` the patch release that
    somebody asked for, if only others of its minor release are known. `derived`: it is known from its source, and
    nothing was recorded with it. The texts below the switches are those of the
    table in docs/behavior/releases.md. A plain class, because it is loaded at every start.
    """

    name: str = "master"
    fields: str = "1.9"
    stands_for: str = ""
    derived: bool = False

    serves_v1beta1: bool = True
    """The API version v1beta1 of SidecarSet is known. Otherwise a v1beta1 SidecarSet is read in its v1alpha1 form."""

    canary_sets: bool = True
    """The two canary annotations are known: a canary replaces its base, and the canary rules are checked."""

    ties_in_base_order: bool = True
    """Pods of equal priority keep the base order. Otherwise the later one in the list of pods goes first."""

    native_restarts_count: bool = True
    """Restarts of native sidecars count in the base order."""

    reset_ends_round: bool = True
    """Type NotUpdate and paused also hold back the reset of idle HotUpgrade containers, and a round that resets does
    nothing else.

    Otherwise the reset comes first, regardless of them, and the round continues with the pods as they were.
    """

    volume_devices: bool = True
    """Volumes used by volumeDevices are injected; a shared mount is not placed at a devicePath of the sidecar."""

    missing_volumes_left_out: bool = True
    """A volumeMount whose volume the SidecarSet does not declare adds no volume. Otherwise the webhook crashes."""

    namespace_wins: bool = True
    """If a SidecarSet has namespace and namespaceSelector, only namespace counts. Otherwise both apply."""

    namespace_is_selector: bool = True
    """Validation treats namespace as a selector. Otherwise namespace and namespaceSelector together are rejected, the
    value of namespace is not checked, and conflicts are computed from the current namespaces.
    """

    custom_version_field: bool = True
    """customVersion is a field. Otherwise it is only a label of the SidecarSet, and must be a label value."""

    old_volume_defaults: bool = False
    """The volume sources iscsi, rbd, azureDisk and scaleIO get defaults."""

    sort_gate: bool = True
    """The feature gate EnableSortSidecarContainerByName exists."""

    sleep_hooks: bool = True
    """A lifecycle hook may sleep 1 to 30 seconds. Otherwise any sleep is rejected, if the field is known at all."""

    trust_bundle_pem_path: bool = False
    """The path of findings about a clusterTrustBundle ends in clusterTrustBundlePEM."""

    percent_up: bool = True
    """Percentages of partition and maxUnavailable are rounded up (partition: except one pod). Otherwise down."""

    partial_policy: bool = True
    """The injection policy Partial is known. Otherwise only the webhook rejects it, and it counts as Always."""

    parses_odd_hosts: bool = True
    """The tag of an image is found even if its host has upper-case letters or is an IPv6 address.

    Otherwise the imagePullPolicy of such an image defaults to IfNotPresent.
    """

    image_limit_without_host: bool = True
    """The path of an image name may have 255 characters. Otherwise this limit includes the host."""

    partition_without_selector: bool = True
    """An updateStrategy with both partition and selector is rejected."""

    proc_mount_check: bool = True
    """procMount Unmasked requires hostUsers: false."""

    token_path_check: bool = True
    """The path of a projected serviceAccountToken must be relative."""

    init_containers_replace: bool = True
    """initContainers replace those of the pod with the same name, and podInjectPolicy applies to them.

    Otherwise all of them come after those of the pod.
    """

    init_defaults: bool = True
    """podInjectPolicy, upgradeStrategy and shareVolumePolicy of initContainers get defaults."""

    namespace_bound_first: bool = True
    """SidecarSets limited to the pod's namespace come before the others."""

    unset_policy_goes_last: bool = True
    """A container without podInjectPolicy (only from a revision) comes after those of the pod. Otherwise before."""

    version_of_own_set: bool = True
    """injectionStrategy.revision.customVersion selects a revision of that SidecarSet. Otherwise of any SidecarSet."""

    conflicts_only_if_valid: bool = True
    """Only SidecarSets without other errors are checked for conflicts."""

    survives_missing_selector: bool = True
    """A SidecarSet without selector is rejected. Otherwise the webhook crashes if it compares it with another."""

    host_ips: bool = True
    """An env may refer to status.hostIPs."""

    selector_value_paths: bool = True
    """The path of an error about a selector value includes the value."""

    init_probe_paths: bool = False
    """The contents of probes and hooks of plain initContainers are checked, although these are rejected anyway."""

    upgradable_condition: bool = True
    """Pods get the condition SidecarSetUpgradable, SidecarSets the event NotUpgradablePods."""

    patch_marker: bool = True
    """The data of revisions begin with "$patch": "replace"."""

    restores_by_name: bool = True
    """Data without that marker are merged into the current SidecarSet, items by name. Otherwise whole lists."""

    init_injection: InitInjection = "like containers"
    """What an initContainer adds in addition to itself: volumes, transferEnv, shared mounts."""

    hash_entries: HashEntries = "with any container"
    """Which matching SidecarSets get an entry in the hash annotations of a pod."""

    token_volumes: bool = True
    """A volume may project a serviceAccountToken."""

    ephemeral_devices: bool = True
    """volumeDevices may name an ephemeral volume."""

    csi_secret_path: bool = True
    """The path of an error about csi.nodePublishSecretRef.name contains no space."""

    injected_list_grows: bool = True
    """The annotation injected-list of a pod keeps its existing names. Otherwise it is overwritten."""

    all_hot_entries: bool = True
    """The annotation working-hotupgrade-container names every HotUpgrade container. Otherwise only the last one."""

    empty_namespace_is_default: bool = True
    """A pod without a namespace counts as a pod of `default` when namespaces are compared."""

    strict_selectors: bool = False
    """A selector with values for Exists, or none for In, is an error at the pod. Otherwise only unknown operators."""

    stores_metadata_patches: bool = True
    """Revisions keep patchPodMetadata."""

    revision_at_injection: bool = True
    """The hash entry of an injected pod names the revision of the SidecarSet, if known."""

    always_names_revision: bool = False
    """Entries of both hash annotations have a controllerRevision, possibly empty."""

    reset_writes_hash: bool = False
    """The reset of an idle HotUpgrade container records the hash of the SidecarSet on the pod."""

    budget_percent_up: bool = True
    """A maxUnavailable of a PodUnavailableBudget in percent is rounded up. Otherwise down."""

    budget_of_none_frees: bool = True
    """A PodUnavailableBudget with desiredAvailable 0 refuses nothing."""

    budget_frees_inconsistent: bool = True
    """An update of a pod whose images are already changing costs its PodUnavailableBudget nothing."""

    budget_counts_down: bool = True
    """A DaemonSet counts as -1 pod for a PodUnavailableBudget. Otherwise as none, and as a target it has no pods."""

    budget_fields: bool = True
    """PodUnavailableBudget has v1beta1 with its new fields, and pods name theirs in a new annotation.

    The words of the annotation of v1alpha1 are trimmed and must be known, and no-protect may be true in any spelling.
    """

    budget_words: BudgetWords = "DELETE, UPDATE, EVICT, RESIZE"
    """The operations that a PodUnavailableBudget can protect."""

    budget_words_may_be_empty: bool = True
    """An empty annotation of a PodUnavailableBudget protects all operations. Otherwise none."""

    budget_total: BudgetTotal = "always"
    """When the annotation protect-total-replicas of a PodUnavailableBudget counts."""

    budget_of_any_pod: bool = True
    """A new pod gets the annotation of a selecting PodUnavailableBudget even if no workload tells its number."""

    budget_everywhere: bool = True
    """A PodUnavailableBudget protects pods of kube-system and kube-public, and pods without a workload, too."""

    budget_labels: bool = True
    """A label unavailable-pod.kruise.io/... makes a pod unavailable."""

    budget_annotations: bool = True
    """Annotations name the PodUnavailableBudget of a pod, and the operations that it protects.

    Otherwise each request searches for it, and it protects all operations.
    """

    label_follows: bool = True
    """A changed custom version is written to the label of the latest revision."""

    skips_system_namespaces: bool = False
    """Pods in kube-system and kube-public are skipped."""

    skips_incomplete_pods: bool = False
    """A pod that lists the SidecarSet but lacks one of its containers is not injected."""

    containers_may_be_added: bool = False
    """An update of a SidecarSet may add a container."""

    last_conflict_only: bool = False
    """Of the other SidecarSets that use a name, only the last one is compared."""

    chart_leaves_out: ChartRule = "Kruise and kube-system"
    """The namespaces whose pods the webhook does not see if Kruise was installed by its Helm chart."""

    chart_ignores_failures: bool = False
    """With the Helm chart, pods are created without the webhook if it cannot be reached."""

    new_gates_are_on: bool = True
    """The feature gates WorkloadSpread and PodUnavailableBudgetDeleteGate are on unless they are turned off."""

    terminates_sidecars: bool = True
    """The feature gate SidecarTerminator exists, which ends the sidecars of finished Jobs."""

    adds_later_steps: bool = True
    """The pod webhook has steps for PodUnavailableBudgets and PersistentPodStates."""

    enhanced_liveness: bool = True
    """The feature gate EnhancedLivenessProbe exists."""

    completed_annotation: bool = True
    """Kruise marks pods whose containers have all been started, and leaves marked pods alone."""

    probe_marker_gate: bool = True
    """The feature gate EnablePodProbeMarkerOnServerless exists."""

    old_json_escapes: bool = False
    """Kruise writes backspace and form feed in JSON as \\u0008 and \\u000c, not as \\b and \\f."""

    lists_plain_init_containers: bool = False
    """sidecarList in the hash annotations names plain initContainers too."""

    def older(self, name: str, **switches: bool | str) -> "Release":
        """A copy of this release with some switches changed; AttributeError for a switch that does not exist."""
        if unknown := switches.keys() - Release.__annotations__.keys():
            raise AttributeError(f"unknown switch {', '.join(unknown)}")
        made = Release()
        vars(made).update(vars(self) | switches | {"name": name})
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a release is never changed")

    def __repr__(self) -> str:
        return f"Release({self.name})"

    @property
    def behavior(self) -> str:
        """The name of the release, for reports."""
        return "Kruise 1.9 (with canary sets)" if self.name == "master" else f"Kruise {self.name}"


MASTER = Release()
"""Kruise's master of July 2026: 1.9 with canary SidecarSets."""

DEFAULT = MASTER.older("1.9", canary_sets=False, budget_fields=False)
"""The newest released Kruise: the default."""
