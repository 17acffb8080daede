"""A repository as teams have them: nested folders, a Helm chart, overlays, and files that are no manifests."""

import subprocess
from pathlib import Path

from tests.cli.manifests import DEPLOYMENT, SET

CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  {{- if .Values.replicas }}
  replicas: {{ .Values.replicas }}
  {{- end }}
"""
PATCH = """\
apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata:
  name: logs
spec:
  injectionStrategy:
    paused: true
"""
KUSTOMIZATION = """\
resources: [../../base]
patches:
- path: paused.yaml
patchesStrategicMerge: [replicas.yaml]
"""
REPLICAS = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 5}\n"


def make_repository(root: Path) -> Path:
    """Write the repository below `root`, and commit it; returns `root`."""
    files = {
        ".gitignore": "build/\n*.tmp.yaml\n",
        ".github/workflows/ci.yaml": "on: push\n",
        "infra/k8s/platform/sidecarsets/logs.yaml": SET,
        "infra/k8s/apps/shop/web/deployment.yaml": DEPLOYMENT,
        "infra/k8s/apps/shop/web/scratch.tmp.yaml": "apiVersion: v1\nkind: [\n",
        "infra/k8s/apps/shop/api/api.yaml": DEPLOYMENT.replace("name: web", "name: api"),
        "infra/k8s/apps/shop/chart/Chart.yaml": CHART,
        "infra/k8s/apps/shop/chart/values.yaml": "replicas: 2\n",
        "infra/k8s/apps/shop/chart/templates/web.yaml": TEMPLATE,
        "infra/k8s/apps/shop/chart/templates/plain.yaml": DEPLOYMENT.replace("name: web", "name: plain"),
        "infra/k8s/apps/shop/tool/tool.yaml": TEMPLATE,
        "infra/k8s/apps/shop/alerts.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n"
        "  text: |\n    {{ $labels.pod }} is down\n  quoted: '{{ x }}'\n  plain: of {{ x }}\n",
        "infra/k8s/clusters/prod/kustomization.yaml": KUSTOMIZATION,
        "infra/k8s/clusters/prod/paused.yaml": PATCH,
        "infra/k8s/clusters/prod/replicas.yaml": REPLICAS,
        "infra/k8s/build/out.yaml": "kind: [\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def git(folder: Path, *words: str) -> str:
    named = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *named, *words], check=True, capture_output=True, text=True, cwd=folder).stdout
