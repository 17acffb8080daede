"""Which switch explains which recorded case: for each release, the cases that change when one switch is put back."""

import gzip
import json
from pathlib import Path

FILE = Path(__file__).parent / "recorded" / "attribution.json.gz"

SWITCHES = {
    "addContainer": "containers_may_be_added",
    "canarySets": "canary_sets",
    "conditions": "upgradable_condition",
    "conflictLastOther": "last_conflict_only",
    "conflictOnlyIfValid": "conflicts_only_if_valid",
    "csiPath": "csi_secret_path",
    "customVersionField": "custom_version_field",
    "emptyNamespace": "empty_namespace_is_default",
    "entryAlways": "hash_entries",
    "entryOfInitOnly": "hash_entries",
    "ephemeralDevices": "ephemeral_devices",
    "hostIPs": "host_ips",
    "hotEntries": "all_hot_entries",
    "initDefaults": "init_defaults",
    "initInjection10": "init_injection",
    "initInjection14": "init_injection",
    "initProbePaths": "init_probe_paths",
    "initReplace": "init_containers_replace",
    "injectedList": "injected_list_grows",
    "labelFollows": "label_follows",
    "mountWithoutVolume": "missing_volumes_left_out",
    "namespaceBoundFirst": "namespace_bound_first",
    "namespaceRules (admission)": "namespace_is_selector",
    "namespaceWins (matching)": "namespace_wins",
    "nativeRestartsCount": "native_restarts_count",
    "partialPolicy (admission)": "partial_policy",
    "partialPolicy (injection)": "partial_policy",
    "partitionWithSelector": "partition_without_selector",
    "patchMarker": "patch_marker",
    "percentUp": "percent_up",
    "procMountCheck": "proc_mount_check",
    "pullPolicyParse": "parses_odd_hosts",
    "resetEndsRound": "reset_ends_round",
    "resetHash": "reset_writes_hash",
    "restoreMerged": "restores_by_name",
    "revisionAtInjection": "revision_at_injection",
    "revisionData12": "stores_metadata_patches",
    "revisionKey": "always_names_revision",
    "selectorValues": "selector_value_paths",
    "skipIncomplete": "skips_incomplete_pods",
    "sleepHook": "sleep_hooks",
    "sortGate": "sort_gate",
    "strictSelector": "strict_selectors",
    "tiesBaseOrder": "ties_in_base_order",
    "tokenPathCheck": "token_path_check",
    "tokenVolume": "token_volumes",
    "trustBundlePath": "trust_bundle_pem_path",
    "versionOfOwnSet": "version_of_own_set",
    "volumeDefaults": "old_volume_defaults",
    "volumeDevices": "volume_devices",
}


"""The names of the recordings, each with the switch of this program; fields have a table of their own."""


def attributed() -> dict[str, dict[str, list[str]]]:
    """By release and switch, the names of the cases."""
    found: dict[str, dict[str, list[str]]] = json.loads(gzip.decompress(FILE.read_bytes()))
    return found
