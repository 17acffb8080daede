"""The head of every kubectl script: a description, and the functions that its lines call."""

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
