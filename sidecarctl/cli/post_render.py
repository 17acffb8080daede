"""`sidecarctl-post-render`: Helm's post-renderer, rendered manifests on stdin to injected ones on stdout."""

import os
import sys

HELP = """\
sidecarctl-post-render: a post-renderer for Helm that injects SidecarSets into the manifests of a chart.

  SIDECARCTL_SIDECARSETS=sidecarsets/ helm template my-release my-chart --post-renderer sidecarctl-post-render
  helm template my-release my-chart --post-renderer sidecarctl-post-render --post-renderer-args=-s \\
      --post-renderer-args=sidecarsets/

SidecarSets come from SIDECARCTL_SIDECARSETS, from -s, or from the chart itself. It takes every option of `sidecarctl
inject`. Objects without a namespace are in that of -n, else of SIDECARCTL_NAMESPACE, else of HELM_NAMESPACE.
"""


def main() -> None:
    """Answer one call of Helm, as `sidecarctl inject -` does, but a chart may render nothing."""
    words = sys.argv[1:]
    if words in (["--help"], ["-h"]):
        sys.stdout.write(HELP)
        return
    if sys.stdin and not sys.stdin.closed and not sys.stdin.buffer.peek(1):  # type: ignore[union-attr] # it is buffered
        sys.stdout.write("# the chart renders nothing\n")  # Helm 4 takes an output without any text for a failure
        return
    if namespace := os.environ.get("HELM_NAMESPACE"):
        os.environ.setdefault("SIDECARCTL_NAMESPACE", namespace)
    sys.argv = ["sidecarctl", "inject", "-", "--allow-empty", *words]
    from sidecarctl.__main__ import main as sidecarctl
    from sidecarctl.cli.invoked import implied

    if "--allow-empty" not in words:
        implied.add("allow_empty")

    sidecarctl()
