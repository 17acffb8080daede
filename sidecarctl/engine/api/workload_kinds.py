"""The table of kinds with pod templates: their paths, and the number, names, labels and owners of their pods.

Sources: docs/workload-kinds.md names the released API that each row follows. Every command loads it: plain data.
"""

from sidecarctl.engine.api.workload_rows import Factor, FieldLabel, Labels, Number, TemplateRow, WorkloadKind

_ONE: tuple[Factor, ...] = ()
_STATEFUL_LABELS = (
    ("statefulset.kubernetes.io/pod-name", "{pod}"),
    ("apps.kubernetes.io/pod-index", "{ordinal}"),
)
_V1 = ("v1",)
_ALPHA = ("v1alpha1",)
_KRUISE = ("v1beta1", "v1alpha1")
_KRUISE_ALPHA = ("v1alpha1", "v1beta1")
_OF_RAY = ("v1", "v1alpha1")
_OF_AGONES = ("v1", "v1alpha1")
_OF_SPARK = ("v1beta2", "v1beta1", "v1alpha1")
_OF_KNATIVE = ("v1", "v1beta1", "v1alpha1")
_OF_KUBEFLOW = ("v1", "v1beta2", "v1beta1", "v1alpha2", "v1alpha1")
_REPLICA_SET = ("apps/v1", "ReplicaSet")
_STATEFUL_SET = ("apps/v1", "StatefulSet")
_JOB = ("batch/v1", "Job")
_KRUISE_JOB = ("apps.kruise.io/v1alpha1", "BroadcastJob")


def _count(path: str, default: int | None = 1) -> Factor:
    return Factor((Number(path, default),))


def _job_size(spec: str) -> Factor:
    """How many pods of a Job run at once."""
    at_once = Number(f"{spec}.parallelism", 1, assumed=", so one pod at a time")
    return Factor((at_once, Number(f"{spec}.completions")))


def _job_labels(name: str) -> tuple[tuple[str, str], ...]:
    return ("job-name", name), ("batch.kubernetes.io/job-name", name)


_DEPLOYMENT = (TemplateRow(owner=_REPLICA_SET),)
_STATEFUL = (TemplateRow(pod="{name}-{ordinal}", labels=_STATEFUL_LABELS),)
_ON_NODES = (TemplateRow(counts=_ONE),)
_CRON_JOB = TemplateRow(
    "spec.jobTemplate.spec.template",
    (_job_size("spec.jobTemplate.spec"),),
    pod="{name}-00000-",
    labels=_job_labels("{name}-00000"),
    owner=_JOB,
)
_CRON_JOBS = (_CRON_JOB._replace(none_if=("spec.jobTemplate.spec.suspend",)),)
_JOBS = (TemplateRow(counts=(_job_size("spec"),), none_if=("spec.suspend",), labels=_job_labels("{name}")),)


def _united(template: str, owner: tuple[str, str]) -> TemplateRow:
    return TemplateRow(f"spec.template.{template}.spec.template", owner=owner)


def _broadcast(path: str, name: str) -> TemplateRow:
    owner = _KRUISE_JOB if path != "spec.template" else ("", "")
    return TemplateRow(path, _ONE, pod=f"{name}-", labels=(("broadcastjob-name", name),), owner=owner)


_RAY_CONTAINER = "KubeRay takes the first container of a template for Ray: write no other container before it"
_RAY_DEFAULTS = (("app.kubernetes.io/name", "kuberay"), ("app.kubernetes.io/created-by", "kuberay-operator"))


def _ray(spec: str, *more_off: str, names_cluster: bool = False) -> tuple[TemplateRow, ...]:
    """The templates of a Ray cluster, whose name is unknown if KubeRay generates it."""
    rows = []
    group = f"{spec}.workerGroupSpecs[*]"
    workers = Factor((Number(f"{group}.replicas", 0), Number(f"{group}.maxReplicas")), f"{group}.minReplicas")
    for path, kind, key, prefix, counts, off in (
        (f"{spec}.headGroupSpec.template", "head", "headgroup", "head-", _ONE, ()),
        (
            f"{group}.template",
            "worker",
            "{key}",
            "{key}-worker-",
            (workers, Factor((Number(f"{group}.numOfHosts", 1, is_seldom_set=True),))),
            (f"{group}.suspend",),
        ),
    ):
        own = (("ray.io/cluster", "{name}"), ("ray.io/node-type", kind), ("ray.io/group", key))
        extra = (("ray.io/identifier", f"{{name}}-{kind}"),) if names_cluster else ()
        rows.append(
            TemplateRow(
                path,
                counts,
                (*more_off, f"{spec}.suspend", *off),
                pod=f"{{name}}-{prefix}" if names_cluster else f"{{name}}-00000-{prefix}",
                labels=own if names_cluster else own[1:],
                defaults=(("ray.io/is-ray-node", "yes"), *extra, *_RAY_DEFAULTS),
                more=Labels(maps=(f"{path.removesuffix('.template')}.labels",)),
                owner=("", "") if names_cluster else ("ray.io/v1", "RayCluster"),
                owner_name="" if names_cluster else "{name}-00000",
            )
        )
    return tuple(rows)


_RAY_SUBMITTER_LABELS = (
    ("ray.io/originated-from-cr-name", "{name}"),
    ("ray.io/originated-from-crd", "RayJob"),
    ("app.kubernetes.io/created-by", "kuberay-operator"),
)


_WITHOUT_SUBMITTER = ("HTTPMode", "SidecarMode", "InteractiveMode")


def _ray_job(spec: str, name: str) -> tuple[TemplateRow, ...]:
    submitter = TemplateRow(
        f"{spec}.submitterPodTemplate",
        _ONE,
        (f"{spec}.suspend", *(f"{spec}.submissionMode={mode}" for mode in _WITHOUT_SUBMITTER)),
        pod=f"{name}-",
        labels=(*((key, text.replace("{name}", name)) for key, text in _RAY_SUBMITTER_LABELS), *_job_labels(name)),
        owner=_JOB,
    )
    return (*_ray(f"{spec}.rayClusterSpec", f"{spec}.suspend"), submitter)


def _volcano(spec: str, name: str, owner: tuple[str, str]) -> TemplateRow:
    return TemplateRow(
        f"{spec}.tasks[*].template",
        (_count(f"{spec}.tasks[*].replicas", 0),),
        pod=f"{name}-{{key}}-{{ordinal}}",
        labels=(
            ("volcano.sh/job-name", name),
            ("volcano.sh/job-namespace", "{namespace}"),
            ("volcano.sh/task-spec", "{key}"),
            ("volcano.sh/task-index", "{ordinal}"),
        ),
        more=Labels(fields=(FieldLabel("volcano.sh/queue-name", f"{spec}.queue", "default"),)),
        owner=owner,
        owner_name=name,
    )


def _kubeflow(
    kind: str,
    member: str,
    *keys: tuple[str, int],
    masters: tuple[str, ...] = (),
    otherwise: str = "",
    versions: tuple[str, ...] = _V1,
) -> WorkloadKind:
    """A job of the training operator; `keys` are those of its map with the default of their replicas.

    `masters` and `otherwise` are the keys whose pods have that role; an MPIJob has one launcher.
    """
    spec = f"spec.{member}ReplicaSpecs"
    rows = tuple(
        TemplateRow(
            f"{spec}{step}.template",
            (_count(f"{spec}{step}.replicas", default),),
            ("spec.runPolicy.suspend",),
            pod=pod,
            labels=(
                ("training.kubeflow.org/job-name", "{name}"),
                ("training.kubeflow.org/operator-name", f"{kind.lower()}-controller"),
                ("training.kubeflow.org/replica-type", key),
                *((("training.kubeflow.org/replica-index", "{ordinal}"),) if "{ordinal}" in pod else (_MASTER,)),
            ),
            more=Labels() if keys else Labels(of_masters=(_MASTER,), masters=masters, otherwise=otherwise),
        )
        for step, key, pod, default in (
            *((f".{key}", key.lower(), _kubeflow_pod(key), default) for key, default in keys),
            *(() if keys else ((".*", "{key}", "{name}-{key}-{ordinal}", 1),)),
        )
    )
    return WorkloadKind(kind, "kubeflow.org", rows, restriction=_FRAMEWORK, versions=versions)


def _kubeflow_pod(key: str) -> str:
    return "{name}-launcher" if key == "Launcher" else f"{{name}}-{key.lower()}-{{ordinal}}"


_MASTER = ("training.kubeflow.org/job-role", "master")
_FRAMEWORK = (
    "the training operator counts pods that succeed: a container that runs on keeps the job open, and the first "
    "container of an MPIJob worker gets a command of its own"
)
_JOB_SET = "spec.replicatedJobs[*]"
_JOB_SET_PATH = f"{_JOB_SET}.template.spec"
_KNATIVE_LABELS = (("serving.knative.dev/configuration", "{name}"),)
_KNATIVE = (
    "Knative refuses init containers and many fields of pods and containers in its objects, and takes several "
    "containers only if exactly one has ports; it does not see what Kruise injects into the pods"
)
_AGONES = "Agones needs spec.container of the GameServer where a template has several containers"
_AGONES_ROLE = ("agones.dev/role", "gameserver")
_SPARK = "Spark completes this template: what it adds to the pods is not computed"
_FLINK = (
    "Flink merges its pod templates, by default item by item of each list, and completes them: what it adds to the "
    "pods is not computed"
)


def _spark(spec: str, name: str) -> tuple[TemplateRow, ...]:
    labels = (("sparkoperator.k8s.io/app-name", name), ("sparkoperator.k8s.io/launched-by-spark-operator", "true"))
    return (
        TemplateRow(
            f"{spec}.driver.template",
            _ONE,
            pod=f"{name}-driver",
            labels=(*labels, ("spark-role", "driver")),
            owner=("sparkoperator.k8s.io/v1beta2", "SparkApplication"),
            owner_name=name,
        ),
        TemplateRow(
            f"{spec}.executor.template",
            (_count(f"{spec}.executor.instances"),),
            pod=f"{name}-exec-",
            labels=(*labels, ("spark-role", "executor")),
            owner=("v1", "Pod"),
            owner_name=f"{name}-driver",
        ),
    )


def _flink(path: str, part: str, count: Number, *, unless: str = "") -> TemplateRow:
    pod = "{name}-" if part == "jobmanager" else "{name}-taskmanager-"
    labels = (("app", "{name}"), ("component", part))
    off = ("spec.job.state=suspended", *filter(None, [unless]))
    kind = (FieldLabel("type", "spec.mode", "native", "flink-{}-kubernetes"),)
    return TemplateRow(path, (Factor((count,)),), off, pod, labels, more=Labels(kind), owner=_REPLICA_SET)


_JOB_MANAGERS = Number("spec.jobManager.replicas", 1)
_TASK_MANAGERS = Number("spec.taskManager.replicas", 1, assumed="; Flink starts what the job's parallelism needs")
_LWS = "leaderworkerset.sigs.k8s.io"
_LWS_SPEC = "spec.leaderWorkerTemplate"


def _leaders(template: str, *none_if: str) -> TemplateRow:
    labels = ((f"{_LWS}/name", "{name}"), (f"{_LWS}/worker-index", "0"), (f"{_LWS}/group-index", "{ordinal}"))
    return TemplateRow(
        f"{_LWS_SPEC}.{template}",
        none_if=none_if,
        pod="{name}-{ordinal}",
        labels=(*labels, *_STATEFUL_LABELS),
        more=Labels(hashed=((f"{_LWS}/group-key", "{namespace}/{name}-{ordinal}"),)),
        owner=_STATEFUL_SET,
        owner_name="{name}",
    )


WORKLOADS = (
    WorkloadKind("Pod", "", (TemplateRow(".", _ONE, pod="{name}"),), versions=_V1),
    WorkloadKind("PodTemplate", "", (TemplateRow("template", _ONE),), "none", versions=_V1),
    WorkloadKind("ReplicationController", "", versions=_V1),
    WorkloadKind("Deployment", "apps", _DEPLOYMENT, versions=("v1", "v1beta2", "v1beta1")),
    WorkloadKind("ReplicaSet", "apps", versions=("v1", "v1beta2")),
    WorkloadKind("StatefulSet", "apps", _STATEFUL, versions=("v1", "v1beta2", "v1beta1")),
    WorkloadKind("DaemonSet", "apps", _ON_NODES, "nodes", versions=("v1", "v1beta2")),
    WorkloadKind("Deployment", "extensions", _DEPLOYMENT, versions=("v1beta1",)),
    WorkloadKind("ReplicaSet", "extensions", versions=("v1beta1",)),
    WorkloadKind("DaemonSet", "extensions", _ON_NODES, "nodes", versions=("v1beta1",)),
    WorkloadKind("Job", "extensions", _JOBS, versions=("v1beta1",)),
    WorkloadKind("Job", "batch", _JOBS, versions=("v1", "v2alpha1")),
    WorkloadKind("CronJob", "batch", _CRON_JOBS, "none", versions=("v1", "v1beta1", "v2alpha1")),
    WorkloadKind("ScheduledJob", "batch", _CRON_JOBS, "none", versions=("v2alpha1",)),
    WorkloadKind(
        "JobTemplate",
        "batch",
        (
            _CRON_JOB._replace(
                path="template.spec.template",
                counts=(_job_size("template.spec"),),
                none_if=("template.spec.suspend",),
            ),
        ),
        "none",
        versions=("v2alpha1", "v1beta1"),
    ),
    WorkloadKind("CloneSet", "apps.kruise.io", versions=_KRUISE_ALPHA),
    WorkloadKind("StatefulSet", "apps.kruise.io", _STATEFUL, versions=_KRUISE),
    WorkloadKind("DaemonSet", "apps.kruise.io", _ON_NODES, "nodes", versions=_KRUISE_ALPHA),
    WorkloadKind(
        "BroadcastJob",
        "apps.kruise.io",
        (_broadcast("spec.template", "{name}"),),
        "nodes",
        versions=_KRUISE_ALPHA,
    ),
    WorkloadKind(
        "AdvancedCronJob",
        "apps.kruise.io",
        (
            _CRON_JOB._replace(
                path="spec.template.jobTemplate.spec.template",
                counts=(_job_size("spec.template.jobTemplate.spec"),),
                none_if=("spec.template.jobTemplate.spec.suspend",),
            ),
            _broadcast("spec.template.broadcastJobTemplate.spec.template", "{name}-00000"),
        ),
        "none",
        versions=_KRUISE_ALPHA,
    ),
    WorkloadKind(
        "UnitedDeployment",
        "apps.kruise.io",
        (
            _united("statefulSetTemplate", _STATEFUL_SET),
            _united("advancedStatefulSetTemplate", ("apps.kruise.io/v1beta1", "StatefulSet")),
            _united("cloneSetTemplate", ("apps.kruise.io/v1alpha1", "CloneSet")),
            _united("deploymentTemplate", _REPLICA_SET),
        ),
        versions=_KRUISE_ALPHA,
    ),
    WorkloadKind(
        "GameServerSet",
        "game.kruise.io",
        (
            TemplateRow(
                "spec.gameServerTemplate",
                pod="{name}-{ordinal}",
                labels=(("game.kruise.io/owner-gss", "{name}"), *_STATEFUL_LABELS),
                owner=("apps.kruise.io/v1beta1", "StatefulSet"),
                owner_name="{name}",
            ),
        ),
        versions=_ALPHA,
    ),
    WorkloadKind("Rollout", "argoproj.io", _DEPLOYMENT, versions=_ALPHA),
    WorkloadKind(
        "Experiment",
        "argoproj.io",
        (
            TemplateRow(
                "spec.templates[*].template",
                (_count("spec.templates[*].replicas"),),
                pod="{name}-{key}-",
                owner=_REPLICA_SET,
            ),
        ),
        versions=_ALPHA,
    ),
    WorkloadKind(
        "LeaderWorkerSet",
        "leaderworkerset.x-k8s.io",
        (
            _leaders("leaderTemplate"),
            _leaders("workerTemplate", f"{_LWS_SPEC}.leaderTemplate"),
            TemplateRow(
                f"{_LWS_SPEC}.workerTemplate",
                (_count("spec.replicas"), Factor((Number(f"{_LWS_SPEC}.size", 1, 1),))),
                pod="{name}-{group}-{index}",
                labels=(
                    (f"{_LWS}/name", "{name}"),
                    (f"{_LWS}/worker-index", "{index}"),
                    (f"{_LWS}/group-index", "{group}"),
                    ("statefulset.kubernetes.io/pod-name", "{pod}"),
                    ("apps.kubernetes.io/pod-index", "{index}"),
                ),
                more=Labels(hashed=((f"{_LWS}/group-key", "{namespace}/{name}-{group}"),)),
                owner=_STATEFUL_SET,
                owner_name="{name}-{group}",
                first=1,
            ),
        ),
        versions=_V1,
    ),
    WorkloadKind(
        "Service",
        "serving.knative.dev",
        (
            TemplateRow(
                counts=_ONE, labels=(*_KNATIVE_LABELS, ("serving.knative.dev/service", "{name}")), owner=_REPLICA_SET
            ),
        ),
        "scaled",
        _KNATIVE,
        _OF_KNATIVE,
    ),
    WorkloadKind(
        "Configuration",
        "serving.knative.dev",
        (TemplateRow(counts=_ONE, labels=_KNATIVE_LABELS, owner=_REPLICA_SET),),
        "scaled",
        _KNATIVE,
        _OF_KNATIVE,
    ),
    WorkloadKind(
        "Revision",
        "serving.knative.dev",
        (
            TemplateRow(
                ".",
                _ONE,
                pod="{name}-deployment-",
                labels=(("serving.knative.dev/revision", "{name}"),),
                defaults=(("app", "{name}"),),
                owner=_REPLICA_SET,
            ),
        ),
        "scaled",
        _KNATIVE,
        _OF_KNATIVE,
    ),
    WorkloadKind(
        "RayCluster", "ray.io", _ray("spec", names_cluster=True), restriction=_RAY_CONTAINER, versions=_OF_RAY
    ),
    WorkloadKind("RayJob", "ray.io", _ray_job("spec", "{name}"), restriction=_RAY_CONTAINER, versions=_OF_RAY),
    WorkloadKind("RayService", "ray.io", _ray("spec.rayClusterConfig"), restriction=_RAY_CONTAINER, versions=_OF_RAY),
    WorkloadKind("RayCronJob", "ray.io", _ray_job("spec.jobTemplate", "{name}-00000"), "none", _RAY_CONTAINER, _V1),
    WorkloadKind("Job", "batch.volcano.sh", (_volcano("spec", "{name}", ("", "")),), versions=_ALPHA),
    WorkloadKind(
        "CronJob",
        "batch.volcano.sh",
        (_volcano("spec.jobTemplate.spec", "{name}-00000", ("batch.volcano.sh/v1alpha1", "Job")),),
        "none",
        versions=_ALPHA,
    ),
    WorkloadKind(
        "JobTemplate",
        "flow.volcano.sh",
        (_volcano("spec", "{name}", ("batch.volcano.sh/v1alpha1", "Job")),),
        "none",
        versions=_ALPHA,
    ),
    _kubeflow("PyTorchJob", "pytorch", masters=("master",), versions=_OF_KUBEFLOW),
    _kubeflow("TFJob", "tf", masters=("chief", "master"), otherwise="worker", versions=_OF_KUBEFLOW),
    _kubeflow(
        "MPIJob",
        "mpi",
        ("Launcher", 1),
        ("Worker", 0),
        versions=("v1", "v1alpha2", "v1alpha1", "v2beta1"),
    ),
    _kubeflow("XGBoostJob", "xgb", masters=("master",)),
    _kubeflow("PaddleJob", "paddle", masters=("master",)),
    _kubeflow("JAXJob", "jax", otherwise="worker"),
    *(
        WorkloadKind(
            kind,
            "trainer.kubeflow.org",
            (
                TemplateRow(
                    f"spec.template.{_JOB_SET_PATH}.template",
                    (_job_size(f"spec.template.{_JOB_SET_PATH}"),),
                    owner=_JOB,
                ),
            ),
            "none",
            versions=_ALPHA,
        )
        for kind in ("TrainingRuntime", "ClusterTrainingRuntime")
    ),
    WorkloadKind(
        "JobSet",
        "jobset.x-k8s.io",
        (
            TemplateRow(
                f"{_JOB_SET_PATH}.template",
                (_count(f"{_JOB_SET}.replicas"), _job_size(_JOB_SET_PATH)),
                ("spec.suspend",),
                pod="{name}-{key}-{group}-{index}-",
                owner_name="{name}-{key}-{group}",
                labels=(
                    ("jobset.sigs.k8s.io/jobset-name", "{name}"),
                    ("jobset.sigs.k8s.io/replicatedjob-name", "{key}"),
                    ("jobset.sigs.k8s.io/job-index", "{group}"),
                    ("jobset.sigs.k8s.io/job-global-index", "{place}"),
                    ("jobset.sigs.k8s.io/global-replicas", "{total}"),
                    ("jobset.sigs.k8s.io/job-group-index", "{peer}"),
                    ("jobset.sigs.k8s.io/group-replicas", "{peers}"),
                    ("jobset.sigs.k8s.io/restart-attempt", "0"),
                    *_job_labels("{name}-{key}-{group}"),
                ),
                more=Labels(
                    fields=(
                        FieldLabel("jobset.sigs.k8s.io/replicatedjob-replicas", f"{_JOB_SET}.replicas", "1"),
                        FieldLabel("jobset.sigs.k8s.io/group-name", f"{_JOB_SET}.groupName", "default"),
                    ),
                    hashed=(("jobset.sigs.k8s.io/job-key", "{namespace}/{name}-{key}-{group}"),),
                ),
                peers=f"{_JOB_SET}.groupName",
                owner=_JOB,
            ),
        ),
        versions=("v1alpha2", "v1alpha1"),
    ),
    *(
        WorkloadKind(
            kind,
            "agones.dev",
            (
                TemplateRow(
                    "spec.template.spec.template",
                    (_count("spec.replicas", 0),),
                    labels=(_AGONES_ROLE,),
                    owner=("agones.dev/v1", "GameServer"),
                ),
            ),
            restriction=_AGONES,
            versions=_OF_AGONES,
        )
        for kind in ("Fleet", "GameServerSet")
    ),
    WorkloadKind(
        "GameServer",
        "agones.dev",
        (
            TemplateRow(
                counts=_ONE,
                none_if=('metadata.annotations["agones.dev/dev-address"]',),
                pod="{name}",
                labels=(_AGONES_ROLE, ("agones.dev/gameserver", "{name}")),
            ),
        ),
        restriction=_AGONES,
        versions=_OF_AGONES,
    ),
    WorkloadKind(
        "ScaledJob",
        "keda.sh",
        (
            TemplateRow(
                "spec.jobTargetRef.template",
                (_job_size("spec.jobTargetRef"),),
                pod="{name}-00000-",
                labels=(("scaledjob.keda.sh/name", "{name}"), *_job_labels("{name}-00000")),
                owner=_JOB,
            ),
        ),
        "scaled",
        versions=_ALPHA,
    ),
    WorkloadKind(
        "SparkApplication",
        "sparkoperator.k8s.io",
        _spark("spec", "{name}"),
        restriction=_SPARK,
        versions=_OF_SPARK,
    ),
    WorkloadKind(
        "ScheduledSparkApplication",
        "sparkoperator.k8s.io",
        _spark("spec.template", "{name}-00000"),
        "none",
        _SPARK,
        _OF_SPARK,
    ),
    WorkloadKind(
        "FlinkDeployment",
        "flink.apache.org",
        (
            _flink("spec.podTemplate", "jobmanager", _JOB_MANAGERS, unless="spec.jobManager.podTemplate"),
            _flink("spec.podTemplate", "taskmanager", _TASK_MANAGERS, unless="spec.taskManager.podTemplate"),
            _flink("spec.jobManager.podTemplate", "jobmanager", _JOB_MANAGERS),
            _flink("spec.taskManager.podTemplate", "taskmanager", _TASK_MANAGERS),
        ),
        restriction=_FLINK,
        versions=("v1beta1",),
    ),
    *(
        WorkloadKind(
            "DeploymentConfig",
            group,
            (
                TemplateRow(
                    counts=(_count("spec.replicas", 0),),
                    labels=(("deploymentconfig", "{name}"),),
                    owner=("v1", "ReplicationController"),
                ),
            ),
            versions=_V1,
        )
        for group in ("apps.openshift.io", "")
    ),
)

BY_OPERATOR = {
    ("Workflow", "argoproj.io"): "Argo Workflows",
    ("WorkflowTemplate", "argoproj.io"): "Argo Workflows",
    ("ClusterWorkflowTemplate", "argoproj.io"): "Argo Workflows",
    ("CronWorkflow", "argoproj.io"): "Argo Workflows",
    ("Task", "tekton.dev"): "Tekton",
    ("TaskRun", "tekton.dev"): "Tekton",
    ("Pipeline", "tekton.dev"): "Tekton",
    ("PipelineRun", "tekton.dev"): "Tekton",
    ("VirtualMachine", "kubevirt.io"): "KubeVirt",
    ("VirtualMachineInstance", "kubevirt.io"): "KubeVirt",
    ("VirtualMachineInstanceReplicaSet", "kubevirt.io"): "KubeVirt",
    ("Kafka", "kafka.strimzi.io"): "Strimzi",
    ("KafkaNodePool", "kafka.strimzi.io"): "Strimzi",
    ("KafkaConnect", "kafka.strimzi.io"): "Strimzi",
    ("KafkaBridge", "kafka.strimzi.io"): "Strimzi",
    ("KafkaMirrorMaker2", "kafka.strimzi.io"): "Strimzi",
    ("Cluster", "postgresql.cnpg.io"): "CloudNativePG",
    ("Pooler", "postgresql.cnpg.io"): "CloudNativePG",
    ("Prometheus", "monitoring.coreos.com"): "the Prometheus operator",
    ("Alertmanager", "monitoring.coreos.com"): "the Prometheus operator",
    ("ThanosRuler", "monitoring.coreos.com"): "the Prometheus operator",
    ("Elasticsearch", "elasticsearch.k8s.elastic.co"): "ECK",
    ("Kibana", "kibana.k8s.elastic.co"): "ECK",
    ("TrainJob", "trainer.kubeflow.org"): "Kubeflow Trainer, from the template of its runtime,",
}
"""Kinds whose pods an operator creates in code, so no file has them; and the operator."""
