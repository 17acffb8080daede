"""The table of releases: how each differs from the next newer one.

Source: docs/behaviour/releases.md, which describes this table.
"""

from sidecarctl.releases.release import MASTER

R1_9 = MASTER.older("1.9", canary_sets=False)
R1_8 = R1_9.older(
    "1.8",
    fields="1.8",
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
    sleep_hooks=False,
    trust_bundle_pem_path=True,
)
R1_7 = R1_8.older(
    "1.7",
    fields="1.7",
    percent_up=False,
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
    init_containers_replace=False,
    init_defaults=False,
    namespace_bound_first=False,
    unset_policy_goes_last=False,
    version_of_own_set=False,
    conflicts_only_if_valid=False,
    survives_missing_selector=False,
    host_ips=False,
)
R1_5 = R1_6.older("1.5", fields="1.5", selector_value_paths=False, init_probe_paths=True)
R1_4 = R1_5.older(
    "1.4",
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
    fields="1.3",
    hash_entries="always",
    injected_list_grows=False,
    all_hot_entries=False,
    empty_namespace_is_default=False,
)
R1_2 = R1_3.older(
    "1.2",
    fields="1.2",
    strict_selectors=True,
    stores_metadata_patches=False,
    revision_at_injection=False,
    always_names_revision=True,
    reset_writes_hash=True,
    label_follows=False,
    skips_system_namespaces=True,
)
R1_0 = R1_2.older(
    "1.0",
    fields="1.0",
    init_injection="neither volumes nor envs",
    skips_incomplete_pods=True,
    containers_may_be_added=True,
    last_conflict_only=True,
)

PROFILES = {
    release.name: release for release in (MASTER, R1_9, R1_8, R1_7, R1_7_0, R1_6, R1_5, R1_4, R1_3, R1_2, R1_0)
}
"""All releases that --kruise accepts, newest first."""

PATCH_RELEASES = {
    "1.9": ("1.9.0",),
    "1.8": ("1.8.0", "1.8.1", "1.8.2", "1.8.3", "1.8.4"),
    "1.7": ("1.7.1", "1.7.2", "1.7.3", "1.7.4"),
    "1.6": ("1.6.0", "1.6.1", "1.6.2", "1.6.3", "1.6.4"),
    "1.5": ("1.5.1", "1.5.2", "1.5.3", "1.5.4", "1.5.5"),
    "1.4": ("1.4.0", "1.4.1", "1.4.2"),
    "1.3": ("1.3.0",),
    "1.2": ("1.2.0",),
    "1.0": ("1.0.1",),
}
"""The patch releases that behave like a profile."""
