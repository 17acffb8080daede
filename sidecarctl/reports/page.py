"""The output of a document: a terminal, a pipe or a file."""

from sidecarctl.facts.named_tuples import NamedTuple


class Page(NamedTuple):
    """The width of the text (None for no limit), the characters of bars, whether to list every pod.

    `json_file`: the JSON document that the same run writes, as a relative link from this one; empty for none.
    """

    width: int | None = None
    bar: str = "█"
    all_pods: bool = False
    json_file: str = ""
