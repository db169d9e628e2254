"""One flag: its name, what it takes, where it counts and whether this version has it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from extdns.flags.kind import BOOLEAN, Kind

MASK: Final = "******"
SAME: Final = object()


@dataclass(frozen=True, slots=True)
class Implemented:
    """It does what its help says.

    Attributes:
        says: the rest of the notice that is given with it, which begins with the flag; "" is none.
    """

    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moot:
    """Accepted with one notice, since it has lost its meaning here.

    Attributes:
        says: the rest of the notice, which begins with the flag.
        bounds_audit: its duration becomes the least time between two audits of a zone.
    """

    says: str
    bounds_audit: bool = False


@dataclass(frozen=True, slots=True)
class Absent:
    """Not in this version: stops the start, unless what it belongs to is not chosen."""


State = Implemented | Moot | Absent
IMPLEMENTED: Final = Implemented()
ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One row of the table.

    Attributes:
        name: without the dashes.
        kind: what one value is; BOOLEAN makes a switch, `--name` and `--no-name`.
        help: a sentence without its full stop, in lower case.
        default: the value when nothing is given; a tuple if repeatable, None if there is none.
        reference_default: the reference's default, which `--compat` restores; SAME if ours is it.
        repeatable: given several times, it makes a tuple; else a second time is a mistake.
        sources: the sources it belongs to; empty is all of them. So too *providers* and *registries*.
        secret: its value is never shown.
        environment: whether it can be set by an environment variable.
        state: whether this version has it.
    """

    name: str
    kind: Kind[Any]
    help: str
    default: Any = ""
    reference_default: Any = SAME
    repeatable: bool = False
    sources: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    secret: bool = False
    environment: bool = True
    state: State = IMPLEMENTED

    @property
    def spelling(self) -> str:
        """The flag as it is written, `--name`."""
        return f"--{self.name}"

    @property
    def is_switch(self) -> bool:
        """Whether it takes no value."""
        return self.kind is BOOLEAN

    @property
    def variable(self) -> str:
        """The environment variable (spec plan 8.1); "" if there is none."""
        return "EXTERNAL_DNS_" + re.sub(r"[^A-Za-z0-9_]+", "_", self.name).upper() if self.environment else ""

    def default_value(self, *, compat: bool) -> Any:  # noqa: ANN401  # as many types as kinds
        """The value when nothing is given, with or without `--compat`."""
        return self.reference_default if compat and self.reference_default is not SAME else self.default

    def is_idle(self, value: object) -> bool:
        """Whether *value* asks for nothing, so that not having the flag makes no difference."""
        return not value and value == self.default

    def belongs(self, values: Mapping[str, Any]) -> bool:
        """Whether one of the sources, providers and registries that it is for is chosen in *values*."""
        return (
            (not self.sources or not set(self.sources).isdisjoint(values["source"]))
            and (not self.providers or values["provider"] in self.providers)
            and (not self.registries or values["registry"] in self.registries)
        )

    def arguments(self, value: object, *, masked: bool = False) -> tuple[str, ...]:
        """The command line that gives *value*; None and an empty tuple are given by nothing.

        Args:
            value: what reading the arguments would give.
            masked: show `******` for a secret that is not empty.
        """
        if self.is_switch:
            return (self.spelling if value else f"--no-{self.name}",)
        if value is None:
            return ()
        texts = (self.kind.write(one) for one in (value if self.repeatable and isinstance(value, tuple) else (value,)))
        return tuple(f"{self.spelling}={MASK if masked and self.secret and text else text}" for text in texts)
