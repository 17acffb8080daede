"""Groups of flags that several commands share: each flag is declared once and parsed once.

Typer makes the options of a command from the parameters of a function. Here a command's parameters are groups, and
every attribute of a group becomes an option, except those that it `leaves_out`.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

CommandBody: TypeAlias = Callable[..., None]


class Flags:
    """A group: annotated attributes are the options, their values the defaults; help lists them under `title`."""

    title = "Options"
    leaves_out = frozenset[str]()

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def titles(cls) -> Iterator[tuple[str, str]]:
        """Each option, and the title that help lists it under: that of the class which declares it."""
        for group in reversed(cls.__mro__):
            for name in vars(group).get("__annotations__", {}):
                yield name, getattr(group, "title", Flags.title)

    @classmethod
    def parameters(cls) -> Iterator[inspect.Parameter]:
        """The options as parameters of a function, those of base groups first."""
        annotations: dict[str, Any] = {}
        for group in reversed(cls.__mro__):
            annotations |= vars(group).get("__annotations__", {})
        for name, annotation in annotations.items():
            if name in cls.leaves_out:
                continue
            default = getattr(cls, name, inspect.Parameter.empty)
            yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def command(body: CommandBody) -> CommandBody:
    """The Typer command of a function whose parameters are groups of flags."""
    groups: dict[str, type[Flags]] = {
        name: parameter.annotation for name, parameter in inspect.signature(body).parameters.items()
    }
    parameters = {name: list(group.parameters()) for name, group in groups.items()}

    def call(**values: Any) -> None:
        body(
            **{
                name: groups[name](**{option.name: values[option.name] for option in own})
                for name, own in parameters.items()
            }
        )

    every = [option for own in parameters.values() for option in own]
    call.titles = {name: title for group in groups.values() for name, title in group.titles()}  # type: ignore[attr-defined] # as help_titles finds them
    call.__doc__ = body.__doc__
    call.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined] # inspect documents it
    call.__annotations__ = {option.name: option.annotation for option in every}
    call.__no_type_check__ = True  # type: ignore[attr-defined] # Typer need not resolve types that are none of texts
    return call
