"""The patches of a plan as a shell script that calls kubectl, wave after wave, and waits in between."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sidecarctl.engine.api.canonical import compact
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.plan_file.patch_times import NOW
from sidecarctl.engine.plan_file.pod_patches import condition_patch_of, json_patch_of
from sidecarctl.engine.plan_file.reading import PlannedCondition, PlannedPatch
from sidecarctl.engine.sidecarset.pod_annotations import HASH

_PLAIN = lazy_pattern(r"[A-Za-z0-9_@%+=:,./-]+\Z")
_STATUSES = {"containers": "containerStatuses", "initContainers": "initContainerStatuses"}


def kubectl_script(patches: Sequence[PlannedPatch], conditions: Iterable[PlannedCondition] = ()) -> str:
    """The script; it waits for every wave, including the last.

    Pods that were not ready do not count against maxUnavailable: neither the plan nor the script waits for them.
    """
    by_round: dict[int, list[PlannedCondition]] = {}
    for entry in conditions:
        by_round.setdefault(entry.round, []).append(entry)
    return "".join(f"{line}\n" for line in [HEAD.rstrip("\n"), *_body(patches, by_round)])


def quoted(text: str) -> str:
    """The text as a shell word."""
    return text if _PLAIN.match(text) else "'" + text.replace("'", "'\"'\"'") + "'"


def _body(patches: Sequence[PlannedPatch], conditions: dict[int, list[PlannedCondition]]) -> Iterator[str]:
    waves = {number: list(own) for number, own in groupby(patches, lambda patch: patch.round)}
    unready = {patch.pod for patch in patches if patch.kind == "upgrade" and not patch.was_ready}
    reset = {patch.pod for patch in patches if patch.kind == "reset"}
    patched: set[tuple[str, str]] = set()
    conditioned: set[tuple[str, str]] = set()  # a condition that was written has changed the pod's resourceVersion
    yield ""
    yield f"confirm {quoted(_pods(len({patch.pod for patch in patches})))}"
    for number in sorted({*waves, *conditions}):
        own = waves.get(number, [])
        yield ""
        yield f"printf '%s\\n' {quoted(_title(number, own))}"
        for patch in own:
            known = patch._replace(resource_version="") if patch.pod in conditioned else patch
            yield _patch_call("patch_again" if patch.pod in patched else "patch", known)
            patched.add(patch.pod)
        for entry in conditions.get(number, ()):
            yield f"patch_status {_words(entry.namespace, entry.name, compact(condition_patch_of(entry)))}"
            conditioned.add((entry.namespace, entry.name))
        for patch in own:
            if patch.pod not in unready or patch.pod in reset:  # the new half must run before the old one is emptied
                for image in patch.images:
                    words = _words(*patch.pod, _STATUSES[image.among], image.container, image.after)
                    yield f"await_image {words}"
            if patch.pod not in unready:
                yield f"await_ready {_words(*patch.pod)}"


def _patch_call(function: str, patch: PlannedPatch) -> str:
    what = quoted(compact(json_patch_of(patch))).replace(NOW, """'"$(now)"'""")
    return f"{function} {_words(*patch.pod)} {what} {_words('; '.join(_expected(patch)), *_parts(patch))}"


def _expected(patch: PlannedPatch) -> Iterator[str]:
    """The preconditions of the patch, in words."""
    for operation in json_patch_of(patch):
        if operation["op"] == "test" and operation["path"] in ("/metadata/uid", "/metadata/resourceVersion"):
            yield f"{operation['path'].rpartition('/')[2]} {operation['value']}"
    for image in patch.images:
        yield f"{image.container} as number {image.place} of {image.among}, with the image {image.before}"
    if unchanged := [annotation.key for annotation in patch.annotations if annotation.before is not None]:
        yield f"as when the plan was made: {', '.join(unchanged)}"


def _parts(patch: PlannedPatch) -> Iterator[str]:
    """The parts of STATE that a patched pod has, whatever later patches add."""
    for image in patch.images:
        yield f"[{image.container}={image.after}]"
    for annotation in patch.annotations:
        if annotation.hash and annotation.key == HASH:
            yield f'"hash":"{annotation.hash}","sidecarSetName":"{patch.set_name}"'


def _title(number: int, own: Sequence[PlannedPatch]) -> str:
    waves = dict.fromkeys(f"{patch.set_name}, wave {patch.wave} ({patch.kind})" for patch in own)
    return f"round {number}: {'; '.join(waves) or 'conditions'}: {_pods(len(own))}"


def _pods(count: int) -> str:
    return "1 pod" if count == 1 else f"{count} pods"


def _words(*texts: str) -> str:
    return " ".join(map(quoted, texts))


HEAD = r"""#!/bin/sh
# Made by sidecarctl render: patches pods wave after wave.
#
# Do not run it while Kruise would undo or carry out the same rollout. Where the SidecarSet in the cluster is the old
# one, Kruise puts each patched pod back within a second; where it is the new one, Kruise updates pods at its own pace
# at the same time. Run it where Kruise does not run, or where the SidecarSet in the cluster is the planned one and is
# paused (updateStrategy.paused) or of type NotUpdate.
#
# It shows the context and asks before it begins. It stops at the first patch that is rejected, or when pods are not
# ready after TIMEOUT seconds; it does not wait for those that were not ready before. Pods that are already as planned
# are skipped: run it again to go on.
#
#   YES=1            do not ask
#   DRY_RUN=server   let the API server check the first patch of each pod; change nothing, wait for nothing
#   TIMEOUT=300      seconds to wait for a pod
#   KUBECTL=kubectl  the program, with options such as --context
set -eu
: "${KUBECTL:=kubectl}" "${TIMEOUT:=300}" "${YES:=}" "${DRY_RUN:=}"
STATE='{range .spec.initContainers[*]}[{.name}={.image}]{end}{range .spec.containers[*]}[{.name}={.image}]{end}'
STATE="$STATE"' uid={.metadata.uid} resourceVersion={.metadata.resourceVersion}'
STATE="$STATE"' {.metadata.annotations.kruise\.io/sidecarset-hash}'
case "$DRY_RUN" in
  '') dry= ;;
  server) dry=--dry-run=server ;;
  *) printf 'DRY_RUN is server or empty, not %s\n' "$DRY_RUN" >&2; exit 2 ;;
esac

now() {
  date -u +%Y-%m-%dT%H:%M:%SZ
}
stop() {  # MESSAGE
  printf '%s\n' "$1" >&2
  exit 1
}
confirm() {  # WHAT
  context=$($KUBECTL config view --minify --output 'jsonpath={.current-context}, {.clusters[0].cluster.server}' \
    2>/dev/null) || context='none; kubectl chooses the cluster'
  printf '%s\n' "$1; context: $context${dry:+; a dry run, nothing is changed}"
  if [ "$YES" = 1 ] || [ -n "$dry" ]; then return; fi
  (: </dev/tty) 2>/dev/null || stop 'no terminal to ask for confirmation; use YES=1 to skip it. Nothing was changed.'
  printf 'Patch them? [y/N] ' >/dev/tty
  read -r answer </dev/tty || answer=
  case "$answer" in
    [yY] | [yY][eE][sS]) ;;
    *) stop 'Nothing was changed.' ;;
  esac
}
holds() {  # STATE PART...: whether the state has every part, and there is one
  state=$1
  shift
  [ $# -gt 0 ] || return 1
  for part; do
    case "$state" in
      *"$part"*) ;;
      *) return 1 ;;
    esac
  done
}
patch() {  # NAMESPACE POD PATCH EXPECTED PART...: unless the state of the pod has every part
  namespace=$1 pod=$2 patch=$3 expected=$4
  shift 4
  found=$($KUBECTL get pod --namespace "$namespace" --output "jsonpath=$STATE" -- "$pod") ||
    stop "pod $namespace/$pod cannot be read"
  if holds "$found" "$@"; then
    printf '%s\n' "pod $namespace/$pod is already as planned"
    return
  fi
  $KUBECTL patch pod $dry --namespace "$namespace" --type json --patch "$patch" -- "$pod" || {
    found=$($KUBECTL get pod --namespace "$namespace" --output "jsonpath=$STATE" -- "$pod") || found=unknown
    stop "pod $namespace/$pod was not patched.
  expected: $expected
  found: $found
If the pod has changed, make a new plan."
  }
}
patch_again() {  # the same, for a pod that an earlier part of the script patched
  if [ -n "$dry" ]; then
    printf '%s\n' "pod $1/$2: its later patch cannot be checked before the first one is applied"
  else
    patch "$@"
  fi
}
patch_status() {  # NAMESPACE POD PATCH
  $KUBECTL patch pod $dry --namespace "$1" --subresource status --type strategic --patch "$3" -- "$2"
}
await_image() {  # NAMESPACE POD LIST CONTAINER IMAGE: until the container runs the image
  [ -z "$dry" ] || return 0
  deadline=$(($(date +%s) + TIMEOUT))
  while :; do
    case "$5" in
      *@*) field=imageID wanted="@${5#*@}" ;;
      *) field=image wanted="$5" ;;
    esac
    running=$($KUBECTL get pod --namespace "$1" --output "jsonpath={.status.$3[?(@.name==\"$4\")].$field}" -- "$2")
    case "$running" in
      "$wanted" | */"$wanted" | *"@${wanted#@}") return ;;
    esac
    if [ "$(date +%s)" -ge "$deadline" ]; then
      stop "pod $1/$2: container $4 does not run $5 after $TIMEOUT seconds"
    fi
    sleep 2
  done
}
await_ready() {  # NAMESPACE POD
  [ -z "$dry" ] || return 0
  $KUBECTL wait --namespace "$1" --for condition=Ready --timeout "${TIMEOUT}s" -- "pod/$2"
}
"""
