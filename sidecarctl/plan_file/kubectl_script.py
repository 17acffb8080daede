"""The patches of a plan as a shell script that calls kubectl, wave after wave, and waits in between."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sidecarctl.facts.values import Value
from sidecarctl.plan_file.pod_patches import condition_patch_of, json_patch_of
from sidecarctl.plan_file.reading import PlannedCondition, PlannedImage, PlannedPatch

_HEAD = """\
#!/bin/sh
# Made by sidecarctl render. It stops at the first patch that is refused, or when pods are not ready after TIMEOUT
# seconds, but does not wait for those that were not ready before; KUBECTL names the program, with options such as
# --context.
set -eu
: "${KUBECTL:=kubectl}" "${TIMEOUT:=300}"

patch() {  # NAMESPACE POD PATCH
  $KUBECTL patch pod --namespace "$1" --type json --patch "$3" -- "$2"
}
patch_status() {  # NAMESPACE POD PATCH
  $KUBECTL patch pod --namespace "$1" --subresource status --type strategic --patch "$3" -- "$2"
}
await_image() {  # NAMESPACE POD LIST CONTAINER IMAGE: until the container runs the image
  deadline=$(($(date +%s) + TIMEOUT))
  while :; do
    case "$5" in
      *@*) field=imageID wanted="@${5#*@}" ;;
      *) field=image wanted="$5" ;;
    esac
    running=$($KUBECTL get pod --namespace "$1" --output "jsonpath={.status.$3[?(@.name==\\"$4\\")].$field}" -- "$2")
    case "$running" in
      "$wanted" | */"$wanted" | *"@${wanted#@}") return ;;
    esac
    if [ "$(date +%s)" -ge "$deadline" ]; then
      printf 'pod %s/%s: container %s does not run %s after %s seconds\\n' "$1" "$2" "$4" "$5" "$TIMEOUT" >&2
      exit 1
    fi
    sleep 2
  done
}
await_ready() {  # NAMESPACE POD
  $KUBECTL wait --namespace "$1" --for condition=Ready --timeout "${TIMEOUT}s" -- "pod/$2"
}
"""
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+\Z")
_STATUSES = {"containers": "containerStatuses", "initContainers": "initContainerStatuses"}


def kubectl_script(patches: Sequence[PlannedPatch], conditions: Iterable[PlannedCondition] = ()) -> str:
    """The script; every wave is waited for before the next one, the last one too.

    Pods that were not ready take no place of maxUnavailable: the plan goes on without them, and so does the script.
    """
    by_round: dict[int, list[PlannedCondition]] = {}
    for entry in conditions:
        by_round.setdefault(entry.round, []).append(entry)
    return "".join(f"{line}\n" for line in [_HEAD.rstrip("\n"), *_body(patches, by_round)])


def quoted(text: str) -> str:
    """The text as one word of a shell."""
    return text if _PLAIN.match(text) else "'" + text.replace("'", "'\"'\"'") + "'"


def _body(patches: Sequence[PlannedPatch], conditions: dict[int, list[PlannedCondition]]) -> Iterator[str]:
    waves = {number: list(own) for number, own in groupby(patches, lambda patch: patch.round)}
    unready = {patch.pod for patch in patches if patch.kind == "upgrade" and not patch.was_ready}
    reset = {patch.pod for patch in patches if patch.kind == "reset"}
    for number in sorted({*waves, *conditions}):
        own = waves.get(number, [])
        yield ""
        yield f"printf '%s\\n' {quoted(_title(number, own))}"
        for patch in own:
            yield _call("patch", patch.namespace, patch.name, json_patch_of(patch))
        for entry in conditions.get(number, ()):
            yield _call("patch_status", entry.namespace, entry.name, condition_patch_of(entry))
        for patch in own:
            if (
                patch.pod not in unready or patch.pod in reset
            ):  # before the old half of a pair is emptied, the new runs
                yield from _image_waits(patch)
            if patch.pod not in unready:
                yield f"await_ready {_words(*patch.pod)}"


def _title(number: int, own: Sequence[PlannedPatch]) -> str:
    waves = dict.fromkeys(f"{patch.set_name}, wave {patch.wave} ({patch.kind})" for patch in own)
    return f"round {number}: {'; '.join(waves) or 'conditions'}: {len(own)} pods"


def _image_waits(patch: PlannedPatch) -> Iterator[str]:
    for image in patch.images:
        yield f"await_image {_words(*patch.pod, *_status_words(image))}"


def _status_words(image: PlannedImage) -> tuple[str, str, str]:
    return _STATUSES[image.among], image.container, image.after


def _call(function: str, namespace: str, name: str, patch: Value) -> str:
    return f"{function} {_words(namespace, name, json.dumps(patch))}"


def _words(*texts: str) -> str:
    return " ".join(map(quoted, texts))
