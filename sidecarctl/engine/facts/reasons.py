"""Every reason code, with its sentence. The same codes appear in text, JSON and function results."""

from enum import StrEnum
from typing import Self


class Reason(StrEnum):
    """Why something was rejected, skipped or reported: its code, and `sentence`, which says what it means."""

    sentence: str

    def __new__(cls, code: str, sentence: str = "") -> Self:
        """A reason of its code and sentence; the code alone finds it again."""
        reason = str.__new__(cls, code)
        reason._value_, reason.sentence = code, sentence
        return reason

    # reading
    USAGE = "Usage", "The command line is invalid."
    UNREADABLE_FILE = "UnreadableFile", "A file cannot be opened or read."
    UNWRITABLE_FILE = "UnwritableFile", "A file cannot be written."
    CHANGED_MEANWHILE = "ChangedMeanwhile", "Another program changed a file while sidecarctl was reading it."
    HARD_LINK = "HardLink", "A file has other hard links, which keep the old content when it is replaced."
    LEFT_BEHIND = "LeftBehind", "A killed run left temporary files, which were removed."
    EARLIER_OUTPUT = "EarlierOutput", "The folder of -d has files that an earlier run wrote and this one does not."
    COPIED = "Copied", "A file that a kustomization or chart needs was copied as it is."
    WORKER_KILLED = "WorkerKilled", "A worker process was killed, by the system or by a user."
    NOT_UTF8 = "NotUtf8", "A file is not UTF-8 text."
    SYNTAX = "Syntax", "A document is neither valid YAML nor valid JSON."
    HELM_TEMPLATE = "HelmTemplate", "A document is a Helm template, which must be rendered to become YAML."
    DUPLICATE_KEY = "DuplicateKey", "A mapping defines the same key twice."
    TOO_LARGE = "TooLarge", "A document is larger than the limit."
    TOO_DEEP = "TooDeep", "A document is nested deeper than the limit."
    EXCESSIVE_ALIASING = "ExcessiveAliasing", "Aliases expand a document to many times the size of its text."
    WRONG_TYPE = "WrongType", "A field has a value that Kubernetes cannot decode."
    UNKNOWN_FIELD = "UnknownField", "The API has no field with this name; the API server drops it."
    UNKNOWN_VERSION = "UnknownVersion", "The API version of the object is unknown."
    NOT_IN_VERSION = "NotInVersion", "The other API version expresses a field differently, or not at all."
    MISSING_FIELD = "MissingField", "A required field is missing."

    DUPLICATE_SET = "DuplicateSet", "Two SidecarSets have the same name and different content."
    STALE_HASH = (
        "StaleHash",
        "The hash recorded in a SidecarSet's manifest differs from the hash that Kruise computes.",
    )
    NO_MANIFEST = "NoManifest", "The paths contain no manifest."
    LEFT_OUT = "LeftOut", "Files in named folders were left out: hidden, ignored, excluded, templates or patches."
    NAMESPACE_GIVEN = (
        "NamespaceGiven",
        "A kustomization, Argo CD, Flux or the settings decide the namespace of manifests.",
    )
    NOT_RENDERED = (
        "NotRendered",
        "A kustomization or chart was not rendered, so what it deploys was not compared or checked.",
    )
    CLUSTER_CHOSEN = "ClusterChosen", "The cluster that a named file belongs to, as .sidecarctl.yaml says."
    INVALID_CONFIG = (
        "InvalidConfig",
        "The file .sidecarctl.yaml has settings that do not exist, or values that make no sense.",
    )
    MERGE_BASE = "MergeBase", "The change is compared with the commit where its branch left the revision."
    CONFIG_CHANGED = (
        "ConfigChanged",
        "A change of manifests also changes .sidecarctl.yaml, which decides how they are checked.",
    )
    NOT_ON_PATH = "NotOnPath", "A folder is not on PATH, where programs are found."
    NO_SIDECARSET = "NoSidecarSet", "The inputs contain no SidecarSet."
    INTERNAL_FAULT = "InternalFault", "An internal error, which is a bug in sidecarctl."

    # editing text
    BRANCH_REWRITTEN = (
        "BranchRewritten",
        "A branch could not be edited in place and was rewritten; its comments are lost.",
    )
    CANNOT_EDIT = "CannotEdit", "A document cannot be edited without changing parts that must not change."
    MERGED_MEMBER = "MergedMember", "An edit would have to change a value that comes from a YAML merge key."
    UNPROVEN = "Unproven", "The edited text does not parse to the intended object: a bug; nothing was written."
    SETTERS_COPIED = "SettersCopied", "kpt will copy the setter comments of an app container to a sidecar."

    # differences between releases of Kruise
    UNKNOWN_TO_RELEASE = "UnknownToRelease", "The release of Kruise does not know a field or value, and ignores it."
    UNKNOWN_PATCH_RELEASE = (
        "UnknownPatchRelease",
        "The patch release of Kruise is not known, but others of its minor release are.",
    )
    DERIVED_RELEASE = (
        "DerivedRelease",
        "The release of Kruise is computed from its source; nothing was recorded with it.",
    )
    RUNNING_RELEASE = "RunningRelease", "Which release of Kruise a cluster runs, and so which behavior is computed."
    WEBHOOK_UNKNOWN = (
        "WebhookUnknown",
        "Kruise's webhook could not be read from the cluster; --installed-by says what it sees.",
    )
    WEBHOOK_CRASHES = (
        "WebhookCrashes",
        "The webhook of this release crashes on the pod, so the pod cannot be created.",
    )
    SYSTEM_NAMESPACE = "SystemNamespace", "This release of Kruise skips the namespaces kube-system and kube-public."
    INCOMPLETE_POD = (
        "IncompletePod",
        "The pod lists the SidecarSet but lacks one of its containers; this release skips it.",
    )
    FOREIGN_REVISION = (
        "ForeignRevision",
        "A custom version names a revision of another SidecarSet, and this release uses it.",
    )
    REVISION_MERGED = "RevisionMerged", "A revision from before Kruise 1.5.1 is merged with the current SidecarSet."
    REVISION_RESTORED = (
        "RevisionRestored",
        "The restored content equals a stored revision, so Kruise reuses that revision.",
    )

    # whether a SidecarSet applies to a pod
    POD_NOT_ACTIVE = "PodNotActive", "The pod has finished or is being deleted, so nothing is injected."
    INJECTION_PAUSED = "InjectionPaused", "Injection is paused: the SidecarSet's injectionStrategy.paused is true."
    NAMESPACE_NOT_SELECTED = "NamespaceNotSelected", "The SidecarSet does not select the pod's namespace."
    POD_NOT_SELECTED = "PodNotSelected", "The SidecarSet's selector does not match the pod's labels."
    MALFORMED_SELECTOR = "MalformedSelector", "A label selector has an unknown operator, so it cannot be evaluated."
    REPLACED_BY_CANARY = "ReplacedByCanary", "A canary of the SidecarSet applies to the pod instead."
    NO_SET_APPLIES = "NoSetApplies", "No SidecarSet applies to the pod; each has its own reason."
    NOT_INJECTED = "NotInjected", "The pod contains nothing that was injected."
    NAMESPACE_CONTROL_PLANE_LABEL = (
        "NamespaceControlPlaneLabel",
        "Kruise's webhook skips namespaces with this control-plane label.",
    )
    NOT_SEEN_BY_WEBHOOK = (
        "NotSeenByWebhook",
        "Kruise's webhook does not see the pod, because of how Kruise was installed.",
    )
    NAMESPACE_UNKNOWN = (
        "NamespaceUnknown",
        "A SidecarSet requires labels of a namespace whose manifest is not among the inputs.",
    )
    NAMESPACE_LABELS_DIFFER = "NamespaceLabelsDiffer", "A Namespace among the inputs contradicts --namespace-labels."
    INJECTED = "Injected", "The SidecarSet is injected into the pod."
    PARTIAL_DRAW = "PartialDraw", "A seeded draw chose between the latest and an older revision of the SidecarSet."

    # whether a pod can be changed
    METADATA_PATCH_FAILED = "MetadataPatchFailed", "A metadata patch cannot be merged into the pod's annotation."
    CONDITION_UNREADABLE = (
        "ConditionUnreadable",
        "The message of the pod's SidecarSetUpgradable condition is not JSON.",
    )
    PATCHED_AGAIN = "PatchedAgain", "A patch does not last, so the rollout would never end."
    UNREADABLE_HASHES = "UnreadableHashes", "The annotation that records earlier injections cannot be read."

    # whether a pod takes part in a rollout
    NOTHING_RECORDED = (
        "NothingRecorded",
        "The SidecarSet has no container, so pods do not record it; drift compares them with new ones.",
    )
    NEVER_INJECTED = "NeverInjected", "The pod was created without the SidecarSet's sidecars; recreate it."
    INJECTED_BY_CANARY = (
        "InjectedByCanary",
        "The pod has the sidecars of a canary of the SidecarSet and follows its rollout.",
    )
    STATIC_POD = "StaticPod", "The pod is the mirror of a static pod; the kubelet never runs what is added to it."
    SIDECAR_MISSING = "SidecarMissing", "The pod lacks a sidecar of the SidecarSet; recreate it."
    POD_NOT_UPDATED = "PodNotUpdated", "A pod is in a state of its rollout that --fail-on names."

    # whether a pod runs what its SidecarSets say
    SIDECAR_CHANGED = "SidecarChanged", "A sidecar of the pod differs from the revision that the pod records."
    SIDECAR_ORPHANED = (
        "SidecarOrphaned",
        "The pod has sidecars or records of a SidecarSet that no longer applies to it.",
    )
    DRIFT_UNKNOWN = "DriftUnknown", "Whether the pod runs what its SidecarSet says cannot be decided from the inputs."
    POD_BEHIND = "PodBehind", "The pod runs an older revision of the SidecarSet."
    POD_OUTDATED = "PodOutdated", "The pod has the current hash, but a pod created now would differ."
    POD_UPDATING = "PodUpdating", "The pod was patched, and its status does not show the new images yet."
    SIDECARSET_DIFFERS = (
        "SidecarSetDiffers",
        "A SidecarSet differs between cluster and files, or is missing in one of them.",
    )
    CONTROLLER_LAGS = (
        "ControllerLags",
        "The status of a SidecarSet disagrees with its pods: Kruise has yet to write it.",
    )
    REVISION_ORPHANED = "RevisionOrphaned", "A ControllerRevision belongs to a SidecarSet that no longer exists."

    # problems of a rollout
    DUPLICATE_POD = "DuplicatePod", "Two pods have the same namespace and name, and different content."
    DUPLICATE_WORKLOAD = "DuplicateWorkload", "Two workloads of a kind have the same namespace and name."
    LABEL_UNKNOWN_OFFLINE = (
        "LabelUnknownOffline",
        "A selector requires a label that only a controller in the cluster sets.",
    )
    REPLICAS_UNKNOWN = "ReplicasUnknown", "The workload's manifest does not say how many pods it creates."
    STALE_PLAN = "StalePlan", "The pods have changed since the plan was made."
    INVENTED_IMAGE_ID = "InventedImageId", "A patch records an imageID that exists only in the simulated cluster."
    SYNTHETIC_PLAN = "SyntheticPlan", "The plan was made from workloads; the pods in the cluster may differ."
    EARLIER_IMAGE_UNKNOWN = "EarlierImageUnknown", "The plan does not say which image a container had before."
    EARLIER_HASH_DIFFERS = (
        "EarlierHashDiffers",
        "The SidecarSet from before the plan cannot be reconstructed exactly.",
    )
    METADATA_STAYS = "MetadataStays", "A rollback leaves annotations from patchPodMetadata as the plan wrote them."
    SEVERAL_EARLIER_VERSIONS = (
        "SeveralEarlierVersions",
        "The pods of a plan come from several versions of the SidecarSet.",
    )
    ROLLS_FORWARD = "RollsForward", "The SidecarSet in the cluster decides what Kruise does after a rollback."
    LEFT_OUT_PATCH = "LeftOutPatch", "A patch depends on an earlier patch of the same pod that was left out."
    UNCHECKED_PATCH = "UncheckedPatch", "The API server cannot check whether a patch overwrites a concurrent change."
    NO_PODS = "NoPods", "There are no pods to roll out to."
    IMAGE_RUNS = "ImageRuns", "How many pods run a requested image."
    WORKLOAD_DOWN = "WorkloadDown", "More than half of the pods of a workload are unavailable at once."
    NOTHING_ALLOWED = "NothingAllowed", "The update strategy allows no pod to be updated."
    HAS_NO_EFFECT = "HasNoEffect", "A setting has no effect because of another setting."
    STRATEGY_REFUSED = "StrategyRefused", "Kruise rejects the update strategy."
    POD_WITHOUT_STATUS = "PodWithoutStatus", "The pod has no status, so its readiness is unknown."
    UNKNOWN_PHASE = "UnknownPhase", "The pod's phase does not exist in Kubernetes."
    ANNOTATION_UNREADABLE = (
        "AnnotationUnreadable",
        "An annotation that Kruise writes to pods has content that Kruise does not write.",
    )
    WORKING_CONTAINER_EMPTY = (
        "WorkingContainerEmpty",
        "The pod records the empty container of a hot pair as the working container.",
    )
    TIME_LEFT_OUT = (
        "TimeLeftOut",
        "The patches of a plan record no time, since the plan has none.",
    )
    HOT_VERSIONS_OWN = (
        "HotVersionsOwn",
        "The versions of hot containers in a plan may differ from those that Kruise writes.",
    )
    SCATTER_ASSUMES_WAVES = (
        "ScatterAssumesWaves",
        "The waves of a scattered rollout depend on when pods become ready.",
    )

    # carrying out a plan
    EDITED_PLAN = (
        "EditedPlan",
        "The plan was changed after it was made, or was made by another version of sidecarctl.",
    )
    OTHER_CLUSTER = "OtherCluster", "The plan was made from another cluster."
    CONTROLLER_ACTIVE = "ControllerActive", "Kruise would carry out or revert the same rollout at the same time."
    HOT_RESET_ELSEWHERE = "HotResetElsewhere", "This Kruise resets hot pairs even while the SidecarSet is paused."
    SIDECARSET_CHANGED = "SidecarSetChanged", "The SidecarSet was changed in the cluster during the push."
    FOREIGN_PUSH = "ForeignPush", "A pod already matches the plan, although this push has not patched it."
    OTHER_JOURNAL = "OtherJournal", "The journal belongs to another plan, or to an unfinished push."
    INVALID_JOURNAL = "InvalidJournal", "A file is not the journal of a push, or has been edited."
    JOURNAL_UNWRITABLE = "JournalUnwritable", "The journal of a push cannot be written."
    PUSH_LOCKED = "PushLocked", "Another push of the same SidecarSet runs on this machine."
    PUSH_TIMEOUT = "PushTimeout", "A wave took longer than --timeout."
    PODS_FAILED = "PodsFailed", "More pods failed than --max-failures allows."
    PUSH_INTERRUPTED = "PushInterrupted", "The push was interrupted."
    CHANGED_BY_ADMISSION = "ChangedByAdmission", "An admission webhook changed a patch."
    PATCH_REFUSED = "PatchRefused", "The API server or an admission webhook refused a patch."
    DRY_RUN_IMPOSSIBLE = "DryRunImpossible", "A patch cannot be tried in a dry run."
    POD_LEFT_ALONE = (
        "PodLeftAlone",
        "A pod of the plan is gone, has ended or was recreated, so there is nothing to patch.",
    )
    POD_NOT_PLANNED = "PodNotPlanned", "The SidecarSet has pods that the plan does not name: they were created since."
    POD_NOT_READY = "PodNotReady", "A pod has the planned patch, and is not ready; nothing waits for it."
    NO_SUCH_SIDECARSET = "NoSuchSidecarSet", "The SidecarSet of the plan does not exist in the cluster."
    CONDITION_UNWRITTEN = "ConditionUnwritten", "The condition of a pod could not be written after its patch."

    # results of injection
    TRANSFER_ENV_NOT_FOUND = (
        "TransferEnvNotFound",
        "The pod does not define an env that transferEnv copies to a sidecar.",
    )
    COPIED_REFERENCE = (
        "CopiedReference",
        "A value that is copied to a sidecar refers to something that is not the same there.",
    )
    CONTAINER_REPLACED = "ContainerReplaced", "A sidecar replaces the app container of the same name."
    PRIORITY_NOT_A_NUMBER = (
        "PriorityNotANumber",
        "A container's launch priority is not a number, so Kruise rejects the pod.",
    )
    CONFIGURATION_UNREADABLE = (
        "ConfigurationUnreadable",
        "The ConfigMap kruise-configuration is unreadable, so Kruise rejects every pod.",
    )
    NAME_GENERATED = "NameGenerated", "The name of a pod ends in random letters, which are chosen when it is created."
    IGNORED_FAILURES = (
        "IgnoredFailures",
        "Pods are created without sidecars while Kruise's webhook cannot be reached.",
    )
    BARRIER_IN_MANIFEST = (
        "BarrierInManifest",
        "A manifest holds a barrier of launch priority, which only Kruise writes.",
    )
    START_MARKED_COMPLETED = (
        "StartMarkedCompleted",
        "A manifest says that all containers of the pod have been started.",
    )
    PRIORITY_WITHOUT_EFFECT = (
        "PriorityWithoutEffect",
        "A launch priority changes nothing about the order of starting.",
    )
    HOLDS_UP_OTHERS = "HoldsUpOthers", "A container of the running pod holds up others of lower launch priority."
    LAUNCH_ORDER = "LaunchOrder", "Kruise starts the containers of the pod one after another."
    NOT_COMPUTED = "NotComputed", "Kruise's webhook adds something else to the pod, which is not computed."
    TEMPLATE_UNKNOWN = (
        "TemplateUnknown",
        "Objects have pod templates at a path that no known kind uses; they are left out.",
    )
    MADE_BY_OPERATOR = (
        "MadeByOperator",
        "An operator creates the pods of this kind in code, so no file contains them.",
    )
    TEMPLATE_ELSEWHERE = (
        "TemplateElsewhere",
        "The workload's pods have the template of another object, which it names.",
    )
    CONTROLLER_MAY_REFUSE = "ControllerMayRefuse", "The controller of the workload may refuse the injected template."
    SUBSET_DIFFERS = (
        "SubsetDiffers",
        "The pods of a subset get other SidecarSets in the cluster than the common template.",
    )
    NEEDS_KRUISE = "NeedsKruise", "The pod waits for something that only a running Kruise does."
    LIVENESS_PROBE_REMOVED = (
        "LivenessProbeRemoved",
        "The enhanced liveness probe removes liveness probes, and nothing replaces them.",
    )
    NOT_IDEMPOTENT = "NotIdempotent", "Injecting a second time changes the pod again."
    NOT_REVERSIBLE = "NotReversible", "The original content of a pod cannot be distinguished from injected content."
    INJECTION_DIFFERS = (
        "InjectionDiffers",
        "The object's sidecars are missing, or differ from what its SidecarSets inject.",
    )
    STILL_INJECTED = "StillInjected", "The object still has what injection added."
    OTHER_API_VERSION = "OtherApiVersion", "The SidecarSet is not in the API version that was requested."

    # which revision of a SidecarSet is injected
    REVISION_NOT_FOUND = (
        "RevisionNotFound",
        "The revision that a SidecarSet requests does not exist or cannot be applied.",
    )
    EMPTY_REVISION = "EmptyRevision", "The requested revision has no data; the SidecarSet is injected as it is."
    NOT_A_PERCENTAGE = "NotAPercentage", "A value must be a number or a percentage, and is neither."

    # updates that Kruise rejects, and what a change means for running pods
    CONTAINER_ADDED = "ContainerAdded", "An update adds or renames a container of a SidecarSet, which Kruise rejects."
    UPGRADE_TYPE_CHANGED = (
        "UpgradeTypeChanged",
        "An update changes the upgradeType of a container, which Kruise rejects.",
    )
    CANARY_BASE_CHANGED = "CanaryBaseChanged", "An update changes the base of a canary, which Kruise rejects."
    CANARY_EXISTS = "CanaryExists", "An update changes a SidecarSet while it has a canary, which Kruise rejects."
    DEFAULT_FLIPPED = (
        "DefaultFlipped",
        "A field outside the manifest changes, because its default depends on another field.",
    )

    # what validation finds; the finding's rule says which
    REFUSED = "Refused", "Kruise's webhook or the API server rejects the object."
    DOUBTFUL = "Doubtful", "The object is accepted, but probably does not do what was intended."

    # what fails a diff, if asked
    ROLLOUT_STALLS = "RolloutStalls", "The simulated rollout does not complete."
    EXPECTATION_FAILED = "ExpectationFailed", "A test expects something of sidecars that is not true."
    PODS_MUST_BE_RECREATED = "PodsMustBeRecreated", "Running pods do not get the change: they must be recreated."
    SIDECAR_LOST = "SidecarLost", "After the change, a SidecarSet no longer applies to pods that it applied to."
    MIXED_UPDATE = "MixedUpdate", "Updated pods run new images with volumes or other fields of the old version."
    SIDECAR_GAINED = "SidecarGained", "After the change, a SidecarSet applies to more pods."
    KRUISE_UPGRADE = "KruiseUpgrade", "An upgrade of Kruise changes what happens to the SidecarSet or its pods."

    # why kubectl failed
    KUBECTL_MISSING = "KubectlMissing", "kubectl is not installed or cannot be run."
    KUBECTL_FAILED = "KubectlFailed", "kubectl failed."
    KUBECTL_TIMEOUT = "KubectlTimeout", "kubectl did not answer in time."
    NOT_JSON = "NotJson", "kubectl's answer is not the JSON that the API server sends."
    RESOURCE_NOT_FOUND = "ResourceNotFound", "The requested resource does not exist in the cluster."
    FORBIDDEN = "Forbidden", "The user may not read the requested resource in the cluster."
    LIST_EXPIRED = "ListExpired", "A list expired on the API server before its last page was read."
    CONTEXT_NOT_FOUND = "ContextNotFound", "The kubeconfig has no context with this name."
    NOT_LOGGED_IN = "NotLoggedIn", "The cluster did not authenticate the user."
    KUBECONFIG_UNREADABLE = "KubeconfigUnreadable", "The kubeconfig cannot be read."
    CLUSTER_UNREACHABLE = "ClusterUnreachable", "The cluster does not answer."
    PARTIAL_VIEW = "PartialView", "Only part of the relevant objects was read."
    REVISIONS_UNKNOWN = (
        "RevisionsUnknown",
        "ControllerRevisions of Kruise could not be read, so custom versions are unknown.",
    )
    CLUSTER_UNKNOWN = "ClusterUnknown", "It is not known which cluster this is, or which one the plan is for."
    KRUISE_UNKNOWN = "KruiseUnknown", "The version of Kruise in the cluster is not known."
    KUBERNETES_UNKNOWN = (
        "KubernetesUnknown",
        "The version of Kubernetes in the cluster is unknown; what needs it is not checked.",
    )

    # resources computed from app containers
    NOT_A_NUMBER = "NotANumber", "A token in a resource expression looks like a number but counts as 0."
    BAD_EXPRESSION = "BadExpression", "A resource expression is malformed, or its result is not a usable quantity."
    BAD_REGEX = "BadRegex", "A regular expression is not valid in Go (RE2)."
    NO_TARGET_CONTAINER = "NoTargetContainer", "A resourcesPolicy matches no container, so the pod is rejected."
    UNKNOWN_MODE = "UnknownMode", "targetContainersMode is neither sum nor max."


ABOUT_OUTPUT = frozenset((Reason.NOT_IDEMPOTENT, Reason.NOT_REVERSIBLE, Reason.NEEDS_KRUISE))
"""Findings for those who keep or apply what `inject` writes, not for those who ask why, or what changes."""
