"""YAML as PyYAML writes it, with quotes around every string that Kubernetes would type as something else."""

import re

import yaml

from sidecarctl.engine.facts.values import Value


class _Dumper(yaml.SafeDumper):
    """PyYAML quotes a string that one of its resolvers takes for something else; these are those it lacks."""


_LACKED = {
    "bool": (r"[yYnN]\Z", "yYnN"),
    "int": (r"[-+]?0[oOxXbB][0-9a-fA-F_]+\Z", "-+0"),
    "float": (r"[-+]?(\.[0-9_]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?\Z", "-+.0123456789"),
}
for _type, (_pattern, _first) in _LACKED.items():
    _Dumper.add_implicit_resolver(f"tag:yaml.org,2002:{_type}", re.compile(_pattern), list(_first))


def flow_yaml(value: Value) -> str:
    """The value in flow style, over several lines."""
    return yaml.dump(value, Dumper=_Dumper, default_flow_style=True, width=60)


def quoted_yaml(value: Value) -> str:
    """The value in block style, everything between double quotes."""
    return yaml.dump(value, Dumper=_Dumper, default_style='"', indent=4, sort_keys=False)
