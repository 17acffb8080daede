"""`sidecarctl plan`."""

from dataclasses import replace

from sidecarctl.cli.exiting import conclude
from sidecarctl.cli.flags import options as option
from sidecarctl.cli.flags import plan as plan_option
from sidecarctl.cli.flags.live import Context, Kubeconfig, KubectlTimeout, LiveOption, live_options
from sidecarctl.cli.flags.outputs import OutputsOption
from sidecarctl.cli.plan_run import PlanRequest, run
from sidecarctl.cli.worlds import Named
from sidecarctl.kubectl.connection import Connection


def command(
    paths: option.Paths = None,
    filename: option.Filenames = None,
    sidecarsets: option.Sidecarsets = None,
    recursive: option.Recursive = False,
    namespace: option.LiveNamespace = None,
    output: OutputsOption = None,
    only: option.Only = None,
    from_old: plan_option.From = None,
    replicas: plan_option.Replicas = None,
    pod_update_duration: plan_option.PodUpdateDuration = 1,
    fail: plan_option.Fail = None,
    assume_ready: plan_option.AssumeReady = False,
    rounds: plan_option.Rounds = None,
    partition: plan_option.Partition = None,
    max_unavailable: plan_option.MaxUnavailable = None,
    selector: plan_option.Selector = None,
    paused: plan_option.Paused = None,
    sweep: plan_option.Sweep = None,
    by: plan_option.By = None,
    by_node: plan_option.ByNode = None,
    all_pods: plan_option.AllPods = False,
    timestamp: option.Timestamp = None,
    resource_version: plan_option.ResourceVersion = "",
    feature_gates: option.FeatureGates = None,
    seed: option.Seed = 0,
    trust_annotated_hash: option.TrustAnnotatedHash = False,
    template_path: option.TemplatePath = None,
    strict: option.Strict = False,
    allow_empty: option.AllowEmpty = False,
    max_document_size: option.MaxDocumentSize = 1024,
    quiet: option.Quiet = False,
    live: LiveOption = False,
    context: Context = "",
    kubeconfig: Kubeconfig = "",
    kubectl_timeout: KubectlTimeout = 300,
) -> None:
    """Show the rollout of SidecarSets over pods, wave by wave to its end, before it happens.

    PATHS hold the sets as they shall be, and the pods as they are: a dump of `kubectl get pods -A -o json`. For a
    pull request without a cluster they hold workloads, and --from the sets as they are now. With --live pods, sets,
    namespaces and revisions are read from a cluster, apart from sets that PATHS have. Exit code 1: the rollout
    stalls, is blocked, or ends with an error.

    Forms (-o): text, markdown, json, yaml.

    \b
    Example:
      sidecarctl plan sidecarset.yaml pods.json -o text -o json=plan.json
    """  # noqa: D301 - click takes this for lines that are not to be wrapped
    request = PlanRequest(
        named=Named([*(paths or []), *(filename or [])], sidecarsets or [], from_old or [], recursive),
        namespace=namespace or "default",
        outputs=output or [],
        only=only or [],
        replicas=replicas or [],
        duration=pod_update_duration,
        fail=fail or [],
        assume_ready=assume_ready,
        rounds=rounds,
        overrides=lambda: plan_option.overrides(partition, max_unavailable, selector, paused=paused),
        sweep=sweep,
        by=by or [],
        by_node=by_node or [],
        all_pods=all_pods,
        timestamp=timestamp,
        resource_version=resource_version,
        feature_gates=feature_gates or [],
        seed=seed,
        trust_annotated_hash=trust_annotated_hash,
        template_paths=template_path or [],
        strict=strict,
        allow_empty=allow_empty,
        max_document_size=max_document_size,
        quiet=quiet,
    )

    def body() -> int:
        connection = Connection(context, kubeconfig)
        cluster = live_options(connection, namespace, kubectl_timeout, live=live, identifies=True)
        return run(replace(request, cluster=cluster))

    conclude(body)
