"""How pods are injected: what the command line, a SidecarInjection, or a recording decides."""

from typing import NamedTuple


class InjectionOptions(NamedTuple):
    """Everything other than the manifests that affects injection.

    - `only`: the SidecarSets to inject; all of them when none is named.
    - `feature_gates`: those that differ from Kruise's defaults: `NAME` for one that is on, `NAME=false` for one off.
    - `seed`: of the draw of policy Partial.
    - `timestamp`: RFC 3339 in UTC with whole seconds, for newly injected SidecarSets; None for no time.
    - `keeps_times`: whether the time already recorded for the same SidecarSet and hash stays, and with it the text of
      an annotation that means the same. Kruise always writes the current time.
    - `without_kruise`: leave out what only a running Kruise fulfills: barriers and its readiness gate.
    - `fills_requests`: whether a resourcesPolicy sees absent requests taken from limits, as from the API server.
    """

    only: tuple[str, ...] = ()
    seed: int = 0
    feature_gates: frozenset[str] = frozenset()
    timestamp: str | None = None
    keeps_times: bool = True
    fills_requests: bool = True
    without_kruise: bool = False
