"""What ships: a wheel that works in an environment of its own."""

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.manifests import DEPLOYMENT, SET

ROOT = Path(__file__).parents[1]


def test_the_wheel_runs_from_a_clean_environment(tmp_path: Path) -> None:
    def call(*words: str | Path) -> str:
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV_"))}
        return subprocess.run(words, check=True, capture_output=True, text=True, cwd=tmp_path, env=clean).stdout

    call(sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", ROOT)
    call(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    [wheel] = (tmp_path / "dist").glob("*.whl")
    call(python, "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    program = tmp_path / "env" / "bin" / "sidecarctl"
    assert call(program, "--version").startswith("sidecarctl ")
    assert "name: log-agent" in call(program, "inject", "-s", "set.yaml", "web.yaml")
    where = "import sidecarctl, pathlib; print(pathlib.Path(sidecarctl.__file__).parent / 'schemas')"
    assert Path(call(python, "-c", where).strip(), "rollout-plan.json").is_file()
