"""Every reason code, with its sentence. The same codes appear in text, JSON and function results."""

from enum import StrEnum


class Reason(StrEnum):
    """Why something was rejected, skipped or reported; `sentence` explains it."""

    # reading
    USAGE = "Usage"
    UNREADABLE_FILE = "UnreadableFile"
    UNWRITABLE_FILE = "UnwritableFile"
    CHANGED_MEANWHILE = "ChangedMeanwhile"
    HARD_LINK = "HardLink"
    LEFT_BEHIND = "LeftBehind"
    WORKER_KILLED = "WorkerKilled"
    NOT_UTF8 = "NotUtf8"
    SYNTAX = "Syntax"
    HELM_TEMPLATE = "HelmTemplate"
    DUPLICATE_KEY = "DuplicateKey"
    TOO_LARGE = "TooLarge"
    TOO_DEEP = "TooDeep"
    EXCESSIVE_ALIASING = "ExcessiveAliasing"
    WRONG_TYPE = "WrongType"
    UNKNOWN_FIELD = "UnknownField"
    UNKNOWN_VERSION = "UnknownVersion"
    NOT_IN_VERSION = "NotInVersion"
    MISSING_FIELD = "MissingField"

    DUPLICATE_SET = "DuplicateSet"
    STALE_HASH = "StaleHash"
    NO_MANIFEST = "NoManifest"
    LEFT_OUT = "LeftOut"
    INVALID_CONFIG = "InvalidConfig"
    CONFIG_CHANGED = "ConfigChanged"
    NOT_ON_PATH = "NotOnPath"
    NO_SIDECARSET = "NoSidecarSet"
    INTERNAL_FAULT = "InternalFault"

    # editing text
    BRANCH_REWRITTEN = "BranchRewritten"
    CANNOT_EDIT = "CannotEdit"
    MERGED_MEMBER = "MergedMember"
    UNPROVEN = "Unproven"
    SETTERS_COPIED = "SettersCopied"

    # differences between releases of Kruise
    UNKNOWN_TO_RELEASE = "UnknownToRelease"
    UNKNOWN_PATCH_RELEASE = "UnknownPatchRelease"
    RUNNING_RELEASE = "RunningRelease"
    WEBHOOK_UNKNOWN = "WebhookUnknown"
    WEBHOOK_CRASHES = "WebhookCrashes"
    SYSTEM_NAMESPACE = "SystemNamespace"
    INCOMPLETE_POD = "IncompletePod"
    FOREIGN_REVISION = "ForeignRevision"
    REVISION_MERGED = "RevisionMerged"
    REVISION_RESTORED = "RevisionRestored"

    # whether a SidecarSet applies to a pod
    POD_NOT_ACTIVE = "PodNotActive"
    INJECTION_PAUSED = "InjectionPaused"
    NAMESPACE_NOT_SELECTED = "NamespaceNotSelected"
    POD_NOT_SELECTED = "PodNotSelected"
    MALFORMED_SELECTOR = "MalformedSelector"
    REPLACED_BY_CANARY = "ReplacedByCanary"
    NO_SET_APPLIES = "NoSetApplies"
    NOT_INJECTED = "NotInjected"
    NAMESPACE_CONTROL_PLANE_LABEL = "NamespaceControlPlaneLabel"
    NOT_SEEN_BY_WEBHOOK = "NotSeenByWebhook"
    NAMESPACE_UNKNOWN = "NamespaceUnknown"
    NAMESPACE_LABELS_DIFFER = "NamespaceLabelsDiffer"
    INJECTED = "Injected"
    PARTIAL_DRAW = "PartialDraw"

    # whether a pod can be changed
    METADATA_PATCH_FAILED = "MetadataPatchFailed"
    CONDITION_UNREADABLE = "ConditionUnreadable"
    PATCHED_AGAIN = "PatchedAgain"
    UNREADABLE_HASHES = "UnreadableHashes"

    # whether a pod takes part in a rollout
    NEVER_INJECTED = "NeverInjected"
    INJECTED_BY_CANARY = "InjectedByCanary"
    SIDECAR_MISSING = "SidecarMissing"
    POD_NOT_UPDATED = "PodNotUpdated"

    # whether a pod runs what its SidecarSets say
    SIDECAR_CHANGED = "SidecarChanged"
    SIDECAR_ORPHANED = "SidecarOrphaned"
    DRIFT_UNKNOWN = "DriftUnknown"
    POD_BEHIND = "PodBehind"
    POD_UPDATING = "PodUpdating"
    SIDECARSET_DIFFERS = "SidecarSetDiffers"
    CONTROLLER_LAGS = "ControllerLags"
    REVISION_ORPHANED = "RevisionOrphaned"

    # problems of a rollout
    DUPLICATE_POD = "DuplicatePod"
    LABEL_UNKNOWN_OFFLINE = "LabelUnknownOffline"
    REPLICAS_UNKNOWN = "ReplicasUnknown"
    STALE_PLAN = "StalePlan"
    INVENTED_IMAGE_ID = "InventedImageId"
    SYNTHETIC_PLAN = "SyntheticPlan"
    EARLIER_IMAGE_UNKNOWN = "EarlierImageUnknown"
    EARLIER_HASH_DIFFERS = "EarlierHashDiffers"
    SEVERAL_EARLIER_VERSIONS = "SeveralEarlierVersions"
    ROLLS_FORWARD = "RollsForward"
    LEFT_OUT_PATCH = "LeftOutPatch"
    UNCHECKED_PATCH = "UncheckedPatch"
    NO_PODS = "NoPods"
    IMAGE_RUNS = "ImageRuns"
    NOTHING_ALLOWED = "NothingAllowed"
    HAS_NO_EFFECT = "HasNoEffect"
    STRATEGY_REFUSED = "StrategyRefused"
    POD_WITHOUT_STATUS = "PodWithoutStatus"
    UNKNOWN_PHASE = "UnknownPhase"
    ANNOTATION_UNREADABLE = "AnnotationUnreadable"
    WORKING_CONTAINER_EMPTY = "WorkingContainerEmpty"
    HOT_VERSIONS_OWN = "HotVersionsOwn"
    SCATTER_ASSUMES_WAVES = "ScatterAssumesWaves"

    # carrying out a plan
    EDITED_PLAN = "EditedPlan"
    OTHER_CLUSTER = "OtherCluster"
    CONTROLLER_ACTIVE = "ControllerActive"
    HOT_RESET_ELSEWHERE = "HotResetElsewhere"
    SIDECARSET_CHANGED = "SidecarSetChanged"
    FOREIGN_PUSH = "ForeignPush"
    OTHER_JOURNAL = "OtherJournal"
    INVALID_JOURNAL = "InvalidJournal"
    JOURNAL_UNWRITABLE = "JournalUnwritable"
    PUSH_LOCKED = "PushLocked"
    PUSH_TIMEOUT = "PushTimeout"
    PODS_FAILED = "PodsFailed"
    PUSH_INTERRUPTED = "PushInterrupted"
    CHANGED_BY_ADMISSION = "ChangedByAdmission"
    PATCH_REFUSED = "PatchRefused"
    DRY_RUN_IMPOSSIBLE = "DryRunImpossible"
    POD_LEFT_ALONE = "PodLeftAlone"
    POD_NOT_PLANNED = "PodNotPlanned"
    POD_NOT_READY = "PodNotReady"
    NO_SUCH_SIDECARSET = "NoSuchSidecarSet"
    CONDITION_UNWRITTEN = "ConditionUnwritten"

    # results of injection
    TRANSFER_ENV_NOT_FOUND = "TransferEnvNotFound"
    CONTAINER_REPLACED = "ContainerReplaced"
    PRIORITY_NOT_A_NUMBER = "PriorityNotANumber"
    CONFIGURATION_UNREADABLE = "ConfigurationUnreadable"
    NAME_GENERATED = "NameGenerated"
    IGNORED_FAILURES = "IgnoredFailures"
    BARRIER_IN_MANIFEST = "BarrierInManifest"
    START_MARKED_COMPLETED = "StartMarkedCompleted"
    PRIORITY_WITHOUT_EFFECT = "PriorityWithoutEffect"
    HOLDS_UP_OTHERS = "HoldsUpOthers"
    LAUNCH_ORDER = "LaunchOrder"
    NOT_COMPUTED = "NotComputed"
    TEMPLATE_UNKNOWN = "TemplateUnknown"
    MADE_BY_OPERATOR = "MadeByOperator"
    TEMPLATE_ELSEWHERE = "TemplateElsewhere"
    CONTROLLER_MAY_REFUSE = "ControllerMayRefuse"
    SUBSET_DIFFERS = "SubsetDiffers"
    NEEDS_KRUISE = "NeedsKruise"
    LIVENESS_PROBE_REMOVED = "LivenessProbeRemoved"
    NOT_IDEMPOTENT = "NotIdempotent"
    NOT_REVERSIBLE = "NotReversible"
    INJECTION_DIFFERS = "InjectionDiffers"
    STILL_INJECTED = "StillInjected"
    OTHER_API_VERSION = "OtherApiVersion"

    # which revision of a SidecarSet is injected
    REVISION_NOT_FOUND = "RevisionNotFound"
    EMPTY_REVISION = "EmptyRevision"
    NOT_A_PERCENTAGE = "NotAPercentage"

    # updates that Kruise rejects, and what a change means for running pods
    CONTAINER_ADDED = "ContainerAdded"
    UPGRADE_TYPE_CHANGED = "UpgradeTypeChanged"
    CANARY_BASE_CHANGED = "CanaryBaseChanged"
    CANARY_EXISTS = "CanaryExists"
    DEFAULT_FLIPPED = "DefaultFlipped"

    # what validation finds; the finding's rule says which
    REFUSED = "Refused"
    DOUBTFUL = "Doubtful"

    # what fails a diff, if asked
    ROLLOUT_STALLS = "RolloutStalls"
    EXPECTATION_FAILED = "ExpectationFailed"
    PODS_MUST_BE_RECREATED = "PodsMustBeRecreated"
    SIDECAR_LOST = "SidecarLost"
    SIDECAR_GAINED = "SidecarGained"
    KRUISE_UPGRADE = "KruiseUpgrade"

    # why kubectl failed
    KUBECTL_MISSING = "KubectlMissing"
    KUBECTL_FAILED = "KubectlFailed"
    KUBECTL_TIMEOUT = "KubectlTimeout"
    NOT_JSON = "NotJson"
    RESOURCE_NOT_FOUND = "ResourceNotFound"
    FORBIDDEN = "Forbidden"
    LIST_EXPIRED = "ListExpired"
    CONTEXT_NOT_FOUND = "ContextNotFound"
    NOT_LOGGED_IN = "NotLoggedIn"
    KUBECONFIG_UNREADABLE = "KubeconfigUnreadable"
    CLUSTER_UNREACHABLE = "ClusterUnreachable"
    PARTIAL_VIEW = "PartialView"
    REVISIONS_UNKNOWN = "RevisionsUnknown"
    CLUSTER_UNKNOWN = "ClusterUnknown"
    KRUISE_UNKNOWN = "KruiseUnknown"
    KUBERNETES_UNKNOWN = "KubernetesUnknown"

    # resources computed from app containers
    NOT_A_NUMBER = "NotANumber"
    BAD_EXPRESSION = "BadExpression"
    BAD_REGEX = "BadRegex"
    NO_TARGET_CONTAINER = "NoTargetContainer"
    UNKNOWN_MODE = "UnknownMode"

    @property
    def sentence(self) -> str:
        """What the code means, in one sentence."""
        return _SENTENCES[self]


_SENTENCES = {
    Reason.USAGE: "The command line is invalid.",
    Reason.UNREADABLE_FILE: "A file cannot be opened or read.",
    Reason.UNWRITABLE_FILE: "A file cannot be written.",
    Reason.CHANGED_MEANWHILE: "Another program changed a file while sidecarctl was reading it.",
    Reason.HARD_LINK: "A file has other hard links, which keep the old content when it is replaced.",
    Reason.LEFT_BEHIND: "A killed run left temporary files, which were removed.",
    Reason.WORKER_KILLED: "A worker process was killed, by the system or by a user.",
    Reason.NOT_UTF8: "A file is not UTF-8 text.",
    Reason.SYNTAX: "A document is neither valid YAML nor valid JSON.",
    Reason.HELM_TEMPLATE: "A document is a Helm template, which must be rendered to become YAML.",
    Reason.DUPLICATE_KEY: "A mapping defines the same key twice.",
    Reason.TOO_LARGE: "A document is larger than the limit.",
    Reason.TOO_DEEP: "A document is nested deeper than the limit.",
    Reason.EXCESSIVE_ALIASING: "Aliases expand a document to many times the size of its text.",
    Reason.WRONG_TYPE: "A field has a value that Kubernetes cannot decode.",
    Reason.UNKNOWN_FIELD: "The API has no field with this name; the API server drops it.",
    Reason.DUPLICATE_SET: "Two SidecarSets have the same name and different content.",
    Reason.NOT_ON_PATH: "A folder is not on PATH, where programs are found.",
    Reason.NO_MANIFEST: "The paths contain no manifest.",
    Reason.LEFT_OUT: "Files in named folders were left out: hidden, ignored, excluded, templates or patches.",
    Reason.INVALID_CONFIG: "The file .sidecarctl.yaml has settings that do not exist, or values that make no sense.",
    Reason.CONFIG_CHANGED: "A change of manifests also changes .sidecarctl.yaml, which decides how they are checked.",
    Reason.NO_SIDECARSET: "The inputs contain no SidecarSet.",
    Reason.INTERNAL_FAULT: "An internal error, which is a bug in sidecarctl.",
    Reason.BRANCH_REWRITTEN: "A branch could not be edited in place and was rewritten; its comments are lost.",
    Reason.CANNOT_EDIT: "A document cannot be edited without changing parts that must not change.",
    Reason.MERGED_MEMBER: "An edit would have to change a value that comes from a YAML merge key.",
    Reason.SETTERS_COPIED: "kpt will copy the setter comments of an app container to a sidecar.",
    Reason.UNPROVEN: "The edited text does not parse to the intended object: a bug; nothing was written.",
    Reason.UNKNOWN_VERSION: "The API version of the object is unknown.",
    Reason.NOT_IN_VERSION: "The other API version expresses a field differently, or not at all.",
    Reason.MISSING_FIELD: "A required field is missing.",
    Reason.WEBHOOK_UNKNOWN: "Kruise's webhook could not be read from the cluster; --installed-by says what it sees.",
    Reason.RUNNING_RELEASE: "Which release of Kruise a cluster runs, and so which behavior is computed.",
    Reason.UNKNOWN_PATCH_RELEASE: "The patch release of Kruise is not known, but others of its minor release are.",
    Reason.UNKNOWN_TO_RELEASE: "The release of Kruise does not know a field or value, and ignores it.",
    Reason.WEBHOOK_CRASHES: "The webhook of this release crashes on the pod, so the pod cannot be created.",
    Reason.SYSTEM_NAMESPACE: "This release of Kruise skips the namespaces kube-system and kube-public.",
    Reason.INCOMPLETE_POD: "The pod lists the SidecarSet but lacks one of its containers; this release skips it.",
    Reason.FOREIGN_REVISION: "A custom version names a revision of another SidecarSet, and this release uses it.",
    Reason.REVISION_MERGED: "A revision from before Kruise 1.5.1 is merged with the current SidecarSet.",
    Reason.REVISION_RESTORED: "The restored content equals a stored revision, so Kruise reuses that revision.",
    Reason.POD_NOT_ACTIVE: "The pod has finished or is being deleted, so nothing is injected.",
    Reason.INJECTION_PAUSED: "Injection is paused: the SidecarSet's injectionStrategy.paused is true.",
    Reason.NAMESPACE_NOT_SELECTED: "The SidecarSet does not select the pod's namespace.",
    Reason.POD_NOT_SELECTED: "The SidecarSet's selector does not match the pod's labels.",
    Reason.MALFORMED_SELECTOR: "A label selector has an unknown operator, so it cannot be evaluated.",
    Reason.NOT_INJECTED: "The pod contains nothing that was injected.",
    Reason.NO_SET_APPLIES: "No SidecarSet applies to the pod; each has its own reason.",
    Reason.REPLACED_BY_CANARY: "A canary of the SidecarSet applies to the pod instead.",
    Reason.METADATA_PATCH_FAILED: "A metadata patch cannot be merged into the pod's annotation.",
    Reason.CONDITION_UNREADABLE: "The message of the pod's SidecarSetUpgradable condition is not JSON.",
    Reason.PATCHED_AGAIN: "A patch does not last, so the rollout would never end.",
    Reason.INJECTED_BY_CANARY: "The pod has the sidecars of a canary of the SidecarSet and follows its rollout.",
    Reason.NEVER_INJECTED: "The pod was created without the SidecarSet's sidecars; recreate it.",
    Reason.SIDECAR_MISSING: "The pod lacks a sidecar of the SidecarSet; recreate it.",
    Reason.POD_NOT_UPDATED: "A pod is in a state of its rollout that --fail-on names.",
    Reason.SIDECAR_CHANGED: "A sidecar of the pod differs from the revision that the pod records.",
    Reason.SIDECAR_ORPHANED: "The pod has sidecars or records of a SidecarSet that no longer applies to it.",
    Reason.DRIFT_UNKNOWN: "Whether the pod runs what its SidecarSet says cannot be decided from the inputs.",
    Reason.POD_BEHIND: "The pod runs an older revision of the SidecarSet.",
    Reason.POD_UPDATING: "The pod was patched, and its status does not show the new images yet.",
    Reason.SIDECARSET_DIFFERS: "A SidecarSet differs between cluster and files, or is missing in one of them.",
    Reason.CONTROLLER_LAGS: "The status of a SidecarSet disagrees with its pods: Kruise has yet to write it.",
    Reason.REVISION_ORPHANED: "A ControllerRevision belongs to a SidecarSet that no longer exists.",
    Reason.DUPLICATE_POD: "Two pods have the same namespace and name, and different content.",
    Reason.LABEL_UNKNOWN_OFFLINE: "A selector requires a label that only a controller in the cluster sets.",
    Reason.REPLICAS_UNKNOWN: "The workload's manifest does not say how many pods it creates.",
    Reason.STALE_PLAN: "The pods have changed since the plan was made.",
    Reason.EDITED_PLAN: "The plan was changed after it was made, or was made by another version of sidecarctl.",
    Reason.OTHER_CLUSTER: "The plan was made from another cluster.",
    Reason.CONTROLLER_ACTIVE: "Kruise would carry out or revert the same rollout at the same time.",
    Reason.HOT_RESET_ELSEWHERE: "This Kruise resets hot pairs even while the SidecarSet is paused.",
    Reason.SIDECARSET_CHANGED: "The SidecarSet was changed in the cluster during the push.",
    Reason.FOREIGN_PUSH: "A pod already matches the plan, although this push has not patched it.",
    Reason.OTHER_JOURNAL: "The journal belongs to another plan, or to an unfinished push.",
    Reason.INVALID_JOURNAL: "A file is not the journal of a push, or has been edited.",
    Reason.JOURNAL_UNWRITABLE: "The journal of a push cannot be written.",
    Reason.PUSH_LOCKED: "Another push of the same SidecarSet runs on this machine.",
    Reason.PUSH_TIMEOUT: "A wave took longer than --timeout.",
    Reason.PODS_FAILED: "More pods failed than --max-failures allows.",
    Reason.PUSH_INTERRUPTED: "The push was interrupted.",
    Reason.CHANGED_BY_ADMISSION: "An admission webhook changed a patch.",
    Reason.PATCH_REFUSED: "The API server or an admission webhook refused a patch.",
    Reason.DRY_RUN_IMPOSSIBLE: "A patch cannot be tried in a dry run.",
    Reason.POD_LEFT_ALONE: "A pod of the plan is gone, has ended or was recreated, so there is nothing to patch.",
    Reason.POD_NOT_READY: "A pod has the planned patch, and is not ready; nothing waits for it.",
    Reason.POD_NOT_PLANNED: "The SidecarSet has pods that the plan does not name: they were created since.",
    Reason.CONDITION_UNWRITTEN: "The condition of a pod could not be written after its patch.",
    Reason.NO_SUCH_SIDECARSET: "The SidecarSet of the plan does not exist in the cluster.",
    Reason.INVENTED_IMAGE_ID: "A patch records an imageID that exists only in the simulated cluster.",
    Reason.SYNTHETIC_PLAN: "The plan was made from workloads; the pods in the cluster may differ.",
    Reason.EARLIER_IMAGE_UNKNOWN: "The plan does not say which image a container had before.",
    Reason.EARLIER_HASH_DIFFERS: "The SidecarSet from before the plan cannot be reconstructed exactly.",
    Reason.SEVERAL_EARLIER_VERSIONS: "The pods of a plan come from several versions of the SidecarSet.",
    Reason.ROLLS_FORWARD: "The SidecarSet in the cluster decides what Kruise does after a rollback.",
    Reason.IMAGE_RUNS: "How many pods run an image that was asked for.",
    Reason.NO_PODS: "There are no pods to roll out to.",
    Reason.NOTHING_ALLOWED: "The update strategy allows no pod to be updated.",
    Reason.HAS_NO_EFFECT: "A setting has no effect because of another setting.",
    Reason.STRATEGY_REFUSED: "Kruise rejects the update strategy.",
    Reason.POD_WITHOUT_STATUS: "The pod has no status, so its readiness is unknown.",
    Reason.UNKNOWN_PHASE: "The pod's phase does not exist in Kubernetes.",
    Reason.ANNOTATION_UNREADABLE: "An annotation that Kruise writes to pods has content that Kruise does not write.",
    Reason.WORKING_CONTAINER_EMPTY: "The pod records the empty container of a hot pair as the working container.",
    Reason.NAMESPACE_CONTROL_PLANE_LABEL: "Kruise's webhook skips namespaces with this control-plane label.",
    Reason.NOT_SEEN_BY_WEBHOOK: "Kruise's webhook does not see the pod, because of how Kruise was installed.",
    Reason.NAMESPACE_LABELS_DIFFER: "A Namespace among the inputs contradicts --namespace-labels.",
    Reason.NAMESPACE_UNKNOWN: "A SidecarSet requires labels of a namespace whose manifest is not among the inputs.",
    Reason.INJECTED: "The SidecarSet is injected into the pod.",
    Reason.PARTIAL_DRAW: "A seeded draw chose between the latest and an older revision of the SidecarSet.",
    Reason.UNREADABLE_HASHES: "The annotation that records earlier injections cannot be read.",
    Reason.TRANSFER_ENV_NOT_FOUND: "The pod does not define an env that transferEnv copies to a sidecar.",
    Reason.CONTAINER_REPLACED: "A sidecar replaces the app container of the same name.",
    Reason.PRIORITY_NOT_A_NUMBER: "A container's launch priority is not a number, so Kruise rejects the pod.",
    Reason.CONFIGURATION_UNREADABLE: "The ConfigMap kruise-configuration is unreadable, so Kruise rejects every pod.",
    Reason.NAME_GENERATED: "The name of a pod ends in random letters, which are chosen when it is created.",
    Reason.IGNORED_FAILURES: "Pods are created without sidecars while Kruise's webhook cannot be reached.",
    Reason.BARRIER_IN_MANIFEST: "A manifest holds a barrier of launch priority, which only Kruise writes.",
    Reason.START_MARKED_COMPLETED: "A manifest says that all containers of the pod have been started.",
    Reason.PRIORITY_WITHOUT_EFFECT: "A launch priority changes nothing about the order of starting.",
    Reason.HOLDS_UP_OTHERS: "A container of the running pod holds up others of lower launch priority.",
    Reason.NOT_COMPUTED: "Kruise's webhook adds something else to the pod, which is not computed.",
    Reason.TEMPLATE_UNKNOWN: "Objects have pod templates at a path that no known kind uses; they are left out.",
    Reason.MADE_BY_OPERATOR: "An operator creates the pods of this kind in code, so no file contains them.",
    Reason.TEMPLATE_ELSEWHERE: "The workload's pods have the template of another object, which it names.",
    Reason.CONTROLLER_MAY_REFUSE: "The controller of the workload may refuse the injected template.",
    Reason.SUBSET_DIFFERS: "The pods of a subset get other SidecarSets in the cluster than the common template.",
    Reason.LAUNCH_ORDER: "Kruise starts the containers of the pod one after another.",
    Reason.NEEDS_KRUISE: "The pod waits for something that only a running Kruise does.",
    Reason.LIVENESS_PROBE_REMOVED: "The enhanced liveness probe removes liveness probes, and nothing replaces them.",
    Reason.NOT_IDEMPOTENT: "Injecting a second time changes the pod again.",
    Reason.NOT_REVERSIBLE: "The original content of a pod cannot be distinguished from injected content.",
    Reason.INJECTION_DIFFERS: "The object's sidecars are missing, or differ from what its SidecarSets inject.",
    Reason.STALE_HASH: "The hash recorded in a SidecarSet's manifest differs from the hash that Kruise computes.",
    Reason.REVISION_NOT_FOUND: "The revision that a SidecarSet requests does not exist or cannot be applied.",
    Reason.EMPTY_REVISION: "The requested revision has no data; the SidecarSet is injected as it is.",
    Reason.NOT_A_PERCENTAGE: "A value must be a number or a percentage, and is neither.",
    Reason.CONTAINER_ADDED: "An update adds or renames a container of a SidecarSet, which Kruise rejects.",
    Reason.UPGRADE_TYPE_CHANGED: "An update changes the upgradeType of a container, which Kruise rejects.",
    Reason.CANARY_BASE_CHANGED: "An update changes the base of a canary, which Kruise rejects.",
    Reason.DEFAULT_FLIPPED: "A field outside the manifest changes, because its default depends on another field.",
    Reason.REFUSED: "Kruise's webhook or the API server rejects the object.",
    Reason.DOUBTFUL: "The object is accepted, but probably does not do what was intended.",
    Reason.KUBECTL_MISSING: "kubectl is not installed or cannot be run.",
    Reason.KUBECTL_FAILED: "kubectl failed.",
    Reason.STILL_INJECTED: "The object still has what injection added.",
    Reason.OTHER_API_VERSION: "The SidecarSet is not in the API version that was requested.",
    Reason.ROLLOUT_STALLS: "The simulated rollout does not complete.",
    Reason.EXPECTATION_FAILED: "A test expects something of sidecars that is not true.",
    Reason.KRUISE_UPGRADE: "An upgrade of Kruise changes what happens to the SidecarSet or its pods.",
    Reason.PODS_MUST_BE_RECREATED: "Running pods do not get the change: they must be recreated.",
    Reason.SIDECAR_LOST: "After the change, a SidecarSet no longer applies to pods that it applied to.",
    Reason.SIDECAR_GAINED: "After the change, a SidecarSet applies to more pods.",
    Reason.KUBECTL_TIMEOUT: "kubectl did not answer in time.",
    Reason.NOT_JSON: "kubectl's answer is not the JSON that the API server sends.",
    Reason.RESOURCE_NOT_FOUND: "The requested resource does not exist in the cluster.",
    Reason.FORBIDDEN: "The user may not read the requested resource in the cluster.",
    Reason.CONTEXT_NOT_FOUND: "The kubeconfig has no context with this name.",
    Reason.NOT_LOGGED_IN: "The cluster did not authenticate the user.",
    Reason.KUBECONFIG_UNREADABLE: "The kubeconfig cannot be read.",
    Reason.CLUSTER_UNREACHABLE: "The cluster does not answer.",
    Reason.REVISIONS_UNKNOWN: "ControllerRevisions of Kruise could not be read, so custom versions are unknown.",
    Reason.PARTIAL_VIEW: "Only part of the relevant objects was read.",
    Reason.NOT_A_NUMBER: "A token in a resource expression looks like a number but counts as 0.",
    Reason.BAD_EXPRESSION: "A resource expression is malformed, or its result is not a usable quantity.",
    Reason.BAD_REGEX: "A regular expression is not valid in Go (RE2).",
    Reason.LEFT_OUT_PATCH: "A patch depends on an earlier patch of the same pod that was left out.",
    Reason.UNCHECKED_PATCH: "The API server cannot check whether a patch overwrites a concurrent change.",
    Reason.HOT_VERSIONS_OWN: "The versions of hot containers in a plan may differ from those that Kruise writes.",
    Reason.SCATTER_ASSUMES_WAVES: "The waves of a scattered rollout depend on when pods become ready.",
    Reason.CANARY_EXISTS: "An update changes a SidecarSet while it has a canary, which Kruise rejects.",
    Reason.LIST_EXPIRED: "A list expired on the API server before its last page was read.",
    Reason.CLUSTER_UNKNOWN: "The plan does not record which cluster it is for.",
    Reason.KRUISE_UNKNOWN: "The version of Kruise in the cluster is not known.",
    Reason.KUBERNETES_UNKNOWN: "The version of Kubernetes in the cluster is unknown; what needs it is not checked.",
    Reason.UNKNOWN_MODE: "targetContainersMode is neither sum nor max.",
    Reason.NO_TARGET_CONTAINER: "A resourcesPolicy matches no container, so the pod is rejected.",
}

ABOUT_OUTPUT = frozenset((Reason.NOT_IDEMPOTENT, Reason.NOT_REVERSIBLE, Reason.NEEDS_KRUISE))
"""Findings for those who keep or apply what `inject` writes, not for those who ask why, or what changes."""
