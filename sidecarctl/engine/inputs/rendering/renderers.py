"""The user's kustomize, kubectl and Helm, run on files in a folder of their own: no plugins, cluster or network."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sidecarctl.engine.facts.errors import input_error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.inputs.rendering.deployments import Build
from sidecarctl.engine.inputs.settings import RenderLimits

_VERSION = lazy_pattern(r"v?([0-9]+)\.([0-9]+)")
_KUBECTLS = lazy_pattern(r"Kustomize Version: *(\S+)")
_OLDEST = {"kustomize": (4, 5), "kubectl": (4, 5), "helm": (3, 8)}
"""The oldest releases with the options that are used: origin annotations, and several --api-versions."""
_SITES = {
    "kustomize": "https://kubectl.docs.kubernetes.io/installation/kustomize",
    "helm": "https://helm.sh/docs/intro/install",
}
_NOWHERE = "http://127.0.0.1:9"
"""A proxy that nobody runs."""
_LONGEST = 600


def kustomize_build(files: Mapping[str, bytes], folder: str, limits: RenderLimits) -> bytes:
    """The output of `kustomize build`, else of `kubectl kustomize`; InputError in the tool's own words."""
    tool = "kustomize" if shutil.which("kustomize") else "kubectl" if shutil.which("kubectl") else "kustomize"
    program = _program(tool)
    words = [program, "build" if tool == "kustomize" else "kustomize", folder]
    return _run(words, files, limits, f"{tool} {words[1]}")


def helm_template(files: Mapping[str, bytes], build: Build, limits: RenderLimits) -> bytes:
    """The output of `helm template`; InputError in the tool's own words."""
    further = {f".sidecarctl-values-{number}.yaml": text.encode() for number, text in enumerate(build.inline)}
    words = [_program("helm"), "template", build.release, f"./{build.folder}", "--include-crds"]
    words += ["--namespace", build.namespace] if build.namespace else []
    for path in (*build.values, *further):
        words += ["--values", path]
    words += ["--kube-version", limits.kube_version] if limits.kube_version else []
    for version in limits.api_versions:
        words += ["--api-versions", version]
    return _run([*words, *build.sets], {**files, **further}, limits, "helm template")


def _program(tool: str) -> str:
    """The path of a tool that is new enough; InputError for one that is missing or too old."""
    return _checked(tool, shutil.which(tool))


@cache
def _checked(tool: str, path: str | None) -> str:
    hint = f"install it: {_SITES.get(tool, _SITES['kustomize'])}"
    if path is None:
        other = " (nor is kubectl, which includes kustomize)" if tool == "kustomize" else ""
        raise input_error(Reason.NOT_RENDERED, f"{tool} is not on PATH{other}", hint=hint)
    words = (
        ["version", "--client"] if tool == "kubectl" else ["version", "--short"] if tool == "helm" else ["version"]
    )
    try:
        said = subprocess.run(  # noqa: S603 - a list, read by no shell
            [path, *words], capture_output=True, text=True, check=False, timeout=60, env=_environment(Path("/"))
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise input_error(Reason.NOT_RENDERED, f"{path} cannot be run: {fault}", hint=hint) from None
    own = _KUBECTLS.search(said) if tool == "kubectl" else None
    found = _VERSION.search(own[1] if own else said)
    oldest = _OLDEST[tool]
    if found and (int(found[1]), int(found[2])) < oldest:
        message = f"{path} is {found[0]}, and {oldest[0]}.{oldest[1]} is the oldest that can be used"
        raise input_error(Reason.NOT_RENDERED, message, hint=hint)
    return path


def _run(words: Sequence[str], files: Mapping[str, bytes], limits: RenderLimits, called: str) -> bytes:
    with TemporaryDirectory(prefix="sidecarctl-render-") as made:
        folder, home = Path(os.path.realpath(made), "files"), Path(os.path.realpath(made), "home")
        home.mkdir()
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        code, output, said = _ended(words, folder, home, limits.seconds, called)
        if code:
            raise input_error(Reason.NOT_RENDERED, f"{called}: {_words(said, str(folder))}")
        return output


def _ended(words: Sequence[str], folder: Path, home: Path, seconds: int, called: str) -> tuple[int, bytes, str]:
    try:
        process = subprocess.Popen(  # noqa: S603 - a list, read by no shell
            words,
            cwd=folder,
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as fault:
        raise input_error(Reason.NOT_RENDERED, f"{words[0]} cannot be run: {fault.strerror or fault}") from None
    try:
        output, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        hint = "rendering: {seconds: 120} in .sidecarctl.yaml allows more"
        raise input_error(Reason.NOT_RENDERED, f"{called} did not finish within {seconds} s", hint=hint) from None
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, output, said.decode(errors="replace")


def _environment(home: Path) -> dict[str, str]:
    """What a renderer sees: no kubeconfig, no plugins, no secrets, no network."""
    own = {f"HELM_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "CACHE", "DATA")}
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"), _NOWHERE)
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "LC_ALL": "C", **own, **proxies}


def _words(said: str, folder: str) -> str:
    """What a tool says, in one line and without the folder that it ran in."""
    text = re.sub(r"\s+", " ", said.replace(f"{folder}/", "").replace(folder, ".")).strip()
    return text.removeprefix("Error: ")[:_LONGEST] or "it failed without a message"
