"""Every reason code: the same word in text, JSON and function results, with one sentence each."""

from enum import StrEnum


class Reason(StrEnum):
    """Why something was refused, skipped or remarked; `sentence` says it for people."""

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
    MISSING_FIELD = "MissingField"

    DUPLICATE_SET = "DuplicateSet"
    STALE_HASH = "StaleHash"
    NO_MANIFEST = "NoManifest"
    NOT_ON_PATH = "NotOnPath"
    NO_SIDECARSET = "NoSidecarSet"
    INTERNAL_FAULT = "InternalFault"

    # editing text
    BRANCH_REWRITTEN = "BranchRewritten"
    CANNOT_EDIT = "CannotEdit"
    MERGED_MEMBER = "MergedMember"
    UNPROVEN = "Unproven"
    SETTERS_COPIED = "SettersCopied"

    # what a release of Kruise does otherwise
    UNKNOWN_TO_RELEASE = "UnknownToRelease"
    WEBHOOK_CRASHES = "WebhookCrashes"
    SYSTEM_NAMESPACE = "SystemNamespace"
    INCOMPLETE_POD = "IncompletePod"
    FOREIGN_REVISION = "ForeignRevision"
    REVISION_MERGED = "RevisionMerged"

    # whether a set applies to a pod
    POD_NOT_ACTIVE = "PodNotActive"
    INJECTION_PAUSED = "InjectionPaused"
    NAMESPACE_NOT_SELECTED = "NamespaceNotSelected"
    POD_NOT_SELECTED = "PodNotSelected"
    MALFORMED_SELECTOR = "MalformedSelector"
    REPLACED_BY_CANARY = "ReplacedByCanary"
    NO_SET_APPLIES = "NoSetApplies"
    NOT_INJECTED = "NotInjected"
    NAMESPACE_CONTROL_PLANE_LABEL = "NamespaceControlPlaneLabel"
    NAMESPACE_UNKNOWN = "NamespaceUnknown"
    INJECTED = "Injected"
    CANARY_NEEDS_NEWER_KRUISE = "CanaryNeedsNewerKruise"
    PARTIAL_DRAW = "PartialDraw"

    # whether a pod can be changed
    METADATA_PATCH_FAILED = "MetadataPatchFailed"
    CONDITION_UNREADABLE = "ConditionUnreadable"
    PATCHED_AGAIN = "PatchedAgain"
    UNREADABLE_HASHES = "UnreadableHashes"

    # whether a pod takes part in a rollout
    NEVER_INJECTED = "NeverInjected"
    SIDECAR_MISSING = "SidecarMissing"

    # what is odd about a rollout
    DUPLICATE_POD = "DuplicatePod"
    LABEL_UNKNOWN_OFFLINE = "LabelUnknownOffline"
    REPLICAS_UNKNOWN = "ReplicasUnknown"
    STALE_PLAN = "StalePlan"
    INVENTED_IMAGE_ID = "InventedImageId"
    SYNTHETIC_PLAN = "SyntheticPlan"
    LEFT_OUT_PATCH = "LeftOutPatch"
    UNCHECKED_PATCH = "UncheckedPatch"
    NO_PODS = "NoPods"
    NOTHING_ALLOWED = "NothingAllowed"
    HAS_NO_EFFECT = "HasNoEffect"
    STRATEGY_REFUSED = "StrategyRefused"
    POD_WITHOUT_STATUS = "PodWithoutStatus"
    UNKNOWN_PHASE = "UnknownPhase"
    ANNOTATION_UNREADABLE = "AnnotationUnreadable"
    WORKING_CONTAINER_EMPTY = "WorkingContainerEmpty"
    HOT_VERSIONS_OWN = "HotVersionsOwn"
    SCATTER_ASSUMES_WAVES = "ScatterAssumesWaves"

    # what injection did or did not do to a pod
    TRANSFER_ENV_NOT_FOUND = "TransferEnvNotFound"
    CONTAINER_REPLACED = "ContainerReplaced"
    NOT_IDEMPOTENT = "NotIdempotent"
    NOT_REVERSIBLE = "NotReversible"
    INJECTION_DIFFERS = "InjectionDiffers"

    # which revision of a set is injected
    REVISION_NOT_FOUND = "RevisionNotFound"
    EMPTY_REVISION = "EmptyRevision"
    NOT_A_PERCENTAGE = "NotAPercentage"

    # what may not change when a set is updated, and what a change means for running pods
    CONTAINER_ADDED = "ContainerAdded"
    UPGRADE_TYPE_CHANGED = "UpgradeTypeChanged"
    CANARY_BASE_CHANGED = "CanaryBaseChanged"
    CANARY_EXISTS = "CanaryExists"
    DEFAULT_FLIPPED = "DefaultFlipped"

    # what validation finds; the finding's rule says which
    REFUSED = "Refused"
    DOUBTFUL = "Doubtful"

    # what kubectl could not do
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
    CLUSTER_UNKNOWN = "ClusterUnknown"
    KRUISE_UNKNOWN = "KruiseUnknown"

    # resources computed from the pod's own containers
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
    Reason.USAGE: "The command line asks for something that makes no sense.",
    Reason.UNREADABLE_FILE: "A file cannot be opened or read.",
    Reason.UNWRITABLE_FILE: "A file cannot be written.",
    Reason.CHANGED_MEANWHILE: "A file was saved by somebody else while it was being read.",
    Reason.HARD_LINK: "A file has other names, which keep the old content when it is replaced.",
    Reason.LEFT_BEHIND: "A run that was killed had left temporary files, which are removed.",
    Reason.WORKER_KILLED: "A worker process was killed by the system or by somebody.",
    Reason.NOT_UTF8: "A file is not text in UTF-8.",
    Reason.SYNTAX: "A document is neither YAML nor JSON.",
    Reason.HELM_TEMPLATE: "A document is a Helm template, which is not YAML before it is rendered.",
    Reason.DUPLICATE_KEY: "A mapping has the same key twice.",
    Reason.TOO_LARGE: "A document is larger than the limit.",
    Reason.TOO_DEEP: "A document is nested deeper than the limit.",
    Reason.EXCESSIVE_ALIASING: "Aliases make a document many times larger than its text.",
    Reason.WRONG_TYPE: "A field holds a value that Kubernetes cannot decode.",
    Reason.UNKNOWN_FIELD: "The API has no field of that name; the API server drops it.",
    Reason.DUPLICATE_SET: "Two SidecarSets have the same name and different contents.",
    Reason.NOT_ON_PATH: "A folder is not on PATH, where programs are looked for.",
    Reason.NO_MANIFEST: "The paths hold no manifest.",
    Reason.NO_SIDECARSET: "The inputs hold no SidecarSet.",
    Reason.INTERNAL_FAULT: "The program itself failed: a bug.",
    Reason.BRANCH_REWRITTEN: "A branch could not be edited in place and was written anew; its comments are lost.",
    Reason.CANNOT_EDIT: "A document has a shape that cannot be edited without changing what need not change.",
    Reason.MERGED_MEMBER: "An edit would have to change what a YAML merge key brings in.",
    Reason.SETTERS_COPIED: "kpt will copy setter comments of an app container to a sidecar.",
    Reason.UNPROVEN: "The edited text does not read as the intended object: a bug; nothing was written.",
    Reason.UNKNOWN_VERSION: "The object's API version is not one that this program knows.",
    Reason.MISSING_FIELD: "A field is missing without which the object cannot be used.",
    Reason.UNKNOWN_TO_RELEASE: "The release of Kruise does not know a field or value, and does without it.",
    Reason.WEBHOOK_CRASHES: "The webhook of this release crashes at the pod, so that it cannot be created.",
    Reason.SYSTEM_NAMESPACE: "This release of Kruise passes over the namespaces kube-system and kube-public.",
    Reason.INCOMPLETE_POD: "The pod lists the SidecarSet but lacks a container of it; this Kruise leaves it alone.",
    Reason.FOREIGN_REVISION: "A custom version names a revision of another SidecarSet, and this Kruise takes it.",
    Reason.REVISION_MERGED: "A revision from before Kruise 1.5.1 is mixed with the present SidecarSet.",
    Reason.POD_NOT_ACTIVE: "The pod has finished or is being deleted; nothing is injected into it.",
    Reason.INJECTION_PAUSED: "The set's injectionStrategy.paused is true.",
    Reason.NAMESPACE_NOT_SELECTED: "The set does not select the pod's namespace.",
    Reason.POD_NOT_SELECTED: "The set's selector does not match the pod's labels.",
    Reason.MALFORMED_SELECTOR: "A label selector cannot be evaluated; no pod can be asked.",
    Reason.NOT_INJECTED: "Nothing in the pod was injected.",
    Reason.NO_SET_APPLIES: "No set applies to the pod, each for its own reason.",
    Reason.REPLACED_BY_CANARY: "A canary of the set applies to the pod in its place.",
    Reason.METADATA_PATCH_FAILED: "A metadata patch cannot be merged into the pod's annotation.",
    Reason.CONDITION_UNREADABLE: "The message of the pod's condition SidecarSetUpgradable is not JSON.",
    Reason.PATCHED_AGAIN: "A patch does not last, so that the rollout would never end.",
    Reason.NEVER_INJECTED: "The pod was created without the set's sidecars; it must be recreated.",
    Reason.SIDECAR_MISSING: "The pod no longer holds every sidecar of the set; it must be recreated.",
    Reason.DUPLICATE_POD: "Two pods have the same namespace and name, and different contents.",
    Reason.LABEL_UNKNOWN_OFFLINE: "A selector asks for a label that only a controller of the cluster sets.",
    Reason.REPLICAS_UNKNOWN: "How many pods a workload makes does not stand in its manifest.",
    Reason.STALE_PLAN: "The pods are no longer as they were when the plan was made.",
    Reason.INVENTED_IMAGE_ID: "A patch records an imageID that only the simulated cluster knows.",
    Reason.SYNTHETIC_PLAN: "The plan was made from workloads; the pods of the cluster may be others.",
    Reason.LEFT_OUT_PATCH: "A patch builds on another one of the same pod that was not asked for.",
    Reason.UNCHECKED_PATCH: "The API server could not check whether a patch overwrites what somebody else wrote.",
    Reason.NO_PODS: "There is no pod that a rollout could be about.",
    Reason.NOTHING_ALLOWED: "A strategy lets no pod be updated.",
    Reason.HAS_NO_EFFECT: "A setting does nothing beside another one.",
    Reason.STRATEGY_REFUSED: "An update strategy says what Kruise does not let anybody write.",
    Reason.POD_WITHOUT_STATUS: "The pod was given without its status, so nothing is known of its readiness.",
    Reason.UNKNOWN_PHASE: "The pod's phase is not one that Kubernetes has.",
    Reason.ANNOTATION_UNREADABLE: "An annotation that Kruise writes on pods does not hold what it writes.",
    Reason.WORKING_CONTAINER_EMPTY: "The pod records the empty half of a hot pair as the one that works.",
    Reason.HOT_VERSIONS_OWN: "The versions of hot containers in a plan are its own, not those of Kruise.",
    Reason.SCATTER_ASSUMES_WAVES: "The waves of a scattered rollout depend on when pods become ready.",
    Reason.NAMESPACE_CONTROL_PLANE_LABEL: "Kruise passes over namespaces that have the label control-plane.",
    Reason.NAMESPACE_UNKNOWN: "A set asks for labels of a namespace of which no manifest was given.",
    Reason.INJECTED: "The set is injected into the pod.",
    Reason.CANARY_NEEDS_NEWER_KRUISE: "The set is a canary of another one, which Kruise up to 1.9.0 does not know.",
    Reason.PARTIAL_DRAW: "A seeded draw chose between the latest and an older revision of the set.",
    Reason.UNREADABLE_HASHES: "The annotation that records what was injected before cannot be read.",
    Reason.TRANSFER_ENV_NOT_FOUND: "The pod does not have an env that a sidecar was to get from it.",
    Reason.CONTAINER_REPLACED: "A sidecar takes the place of a container of the pod's own that has its name.",
    Reason.NOT_IDEMPOTENT: "Injecting a second time gives another pod.",
    Reason.NOT_REVERSIBLE: "What a pod had before cannot be told from what was injected.",
    Reason.INJECTION_DIFFERS: "The object lacks sidecars that the sets inject into it, or has others.",
    Reason.STALE_HASH: "The hash that a set's manifest records is not the one that Kruise computes for it.",
    Reason.REVISION_NOT_FOUND: "The revision that a set asks for is not there, or cannot be applied.",
    Reason.EMPTY_REVISION: "The revision that a set asks for has no data; the set is injected as it is.",
    Reason.NOT_A_PERCENTAGE: "A value that must be a number or a percentage is neither.",
    Reason.CONTAINER_ADDED: "A set's container has a name that it had not before, which Kruise refuses.",
    Reason.UPGRADE_TYPE_CHANGED: "A container's upgradeType changes, which Kruise refuses.",
    Reason.CANARY_BASE_CHANGED: "A canary gets another base, which Kruise refuses.",
    Reason.CANARY_EXISTS: "A set is changed while a canary of it exists, which Kruise refuses.",
    Reason.DEFAULT_FLIPPED: "A field that the manifest does not write changes, because its default follows another.",
    Reason.REFUSED: "Kruise's webhook or the API server refuses the object.",
    Reason.DOUBTFUL: "Nobody refuses the object, but it will hardly do what was meant.",
    Reason.KUBECTL_MISSING: "kubectl is not there, or cannot be run.",
    Reason.KUBECTL_FAILED: "kubectl failed, for a reason of its own.",
    Reason.KUBECTL_TIMEOUT: "kubectl did not answer in time.",
    Reason.NOT_JSON: "kubectl's answer is not the JSON that the API server gives.",
    Reason.RESOURCE_NOT_FOUND: "The cluster does not have what was asked for.",
    Reason.FORBIDDEN: "The cluster does not let this user read what was asked for.",
    Reason.LIST_EXPIRED: "The cluster forgot a list before its last page was read.",
    Reason.CONTEXT_NOT_FOUND: "The kubeconfig has no context of that name.",
    Reason.NOT_LOGGED_IN: "The cluster does not know the user.",
    Reason.KUBECONFIG_UNREADABLE: "The kubeconfig cannot be read.",
    Reason.CLUSTER_UNREACHABLE: "The cluster does not answer.",
    Reason.PARTIAL_VIEW: "Not everything that counts was read.",
    Reason.CLUSTER_UNKNOWN: "The plan does not record which cluster it is for.",
    Reason.KRUISE_UNKNOWN: "The plan does not record which Kruise runs in the cluster.",
    Reason.NOT_A_NUMBER: "A word of a resource expression looks like a number but counts as 0.",
    Reason.BAD_EXPRESSION: "A resource expression is not well formed or gives no usable quantity.",
    Reason.BAD_REGEX: "A regular expression is not one that Go accepts.",
    Reason.UNKNOWN_MODE: "targetContainersMode is neither sum nor max.",
    Reason.NO_TARGET_CONTAINER: "A resourcesPolicy finds no container to compute from; the pod is rejected.",
}
