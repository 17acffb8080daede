"""`NamedTuple` as `typing` has it, made in a tenth of the time: start-up is a feature.

A command makes about a hundred of these classes before it begins. `typing` checks the types of all fields, compiles
those that are texts, and compiles a function for each class that makes its values. Here types are left to mypy, which
takes this one for its own; the function is compiled after a few values, since most classes have but few in a run.
"""

import sys
from typing import TYPE_CHECKING

FEW = 8
"""Values of a class that together take less time than its function does to be compiled."""

if TYPE_CHECKING or sys.version_info >= (3, 14):  # from then on types are looked at when somebody asks for them
    from typing import NamedTuple
else:
    from collections import _tuplegetter  # as namedtuple has it
    from types import GenericAlias

    _MADE = {}  # how many values of a class there are, until its function is compiled

    class _Values(tuple):
        """What all of them have in common."""

        __slots__ = ()
        __class_getitem__ = classmethod(GenericAlias)
        _make = classmethod(tuple.__new__)

        def __new__(cls, *values, **named):
            made = _MADE[cls] = _MADE.get(cls, 0) + 1
            if made > FEW:
                return _with_compiled_new(cls)(*values, **named)
            if named or len(values) != len(cls._fields):
                values = _in_order(cls, values, named)
            return tuple.__new__(cls, values)

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self._asdict().items())})"

        def __getnewargs__(self):
            return tuple(self)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **others):
            changed = self._make(map(others.pop, self._fields, self))
            if others:
                raise ValueError(f"no such fields: {list(others)}")
            return changed

    def _in_order(cls, values, named):
        fields = cls._fields
        given = {**cls._field_defaults, **dict(zip(fields, values, strict=False)), **named}
        if len(given) != len(fields) or len(values) + len(named) > len(fields):
            return _with_compiled_new(cls)(*values, **named)  # which says what is wrong with the arguments
        return map(given.__getitem__, fields)

    def _with_compiled_new(cls):
        owner = next(kind for kind in cls.__mro__ if "_fields" in vars(kind))
        names = ", ".join(owner._fields)
        made = eval(f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": tuple.__new__})  # noqa: S307 - of names alone
        made.__defaults__ = tuple(owner._field_defaults.values())
        owner.__new__ = made
        return cls

    class _Maker(type):
        def __new__(cls, name, bases, members):
            if not bases:
                return super().__new__(cls, name, bases, members)
            fields = tuple(members["__annotations__"])
            defaults = {field: members[field] for field in fields if field in members}
            own = {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            getters = {field: _tuplegetter(index, None) for index, field in enumerate(fields)}
            return type(name, (_Values,), {**members, **own, **getters})

    class NamedTuple(metaclass=_Maker):
        """A tuple whose places have names, types and perhaps defaults; further members are methods."""


__all__ = ["NamedTuple"]
