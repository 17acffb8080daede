"""The names of the forms in which transformed documents leave; every command's options are loaded with them."""

from enum import StrEnum


class Form(StrEnum):
    """What stdout gets. `text` is the input's own text, edited."""

    TEXT = "text"
    YAML = "yaml"
    JSON = "json"
    JSONPATCH = "jsonpatch"
    NAME = "name"
