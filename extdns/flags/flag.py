"""Define flags: a section is a class, and each of its fields is a flag, with its help, default and kind of value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from typing import Any, ClassVar, Final, NoReturn, Self, TypedDict, Unpack, dataclass_transform

from extdns.flags.kind import BOOLEAN, ValueKind, make_text_kind
from extdns.masking import MASK, mask_url

SAME_DEFAULT: Final = object()
VARIABLE_PREFIX: Final = "EXTERNAL_DNS_"


class Support(Enum):
    """Whether this version supports a flag.

    A flag of external-dns that is MOOT is accepted, but its effect is not one that extdns has. Setting an ABSENT one is
    an error, unless its source, provider or registry is not chosen, or the value is its empty default.
    """

    IMPLEMENTED = auto()
    MOOT = auto()
    ABSENT = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A command-line flag.

    Attributes:
        name: the name of the flag, without the dashes.
        topic: the title under which `extdns help flags` and the reference page show it.
        help: what the flag does, as a sentence in lower case without a full stop.
        kind: the kind of one value. With BOOLEAN the flag is a switch: `--name` and `--no-name`.
        default: the value if the flag is not set; a tuple for a repeatable flag, None for no value.
        reference_default: the default with `--compat`, which is that of external-dns; SAME_DEFAULT if it is *default*.
        sources, providers, registries: those that the flag belongs to, () for all.
        secret: whether the value is a secret, which is masked wherever it is shown.
        environment: whether an environment variable can set the flag.
        notice: what to log if the flag is set, without the flag at the beginning; "" for nothing.
        bounds_refresh: whether the value is a minimum time between two refreshes of a zone.
        in_plan: whether a saved plan applies only with the same value. False for how extdns runs, and where it reads
            and writes.
    """

    name: str
    topic: str
    help: str
    kind: ValueKind[Any]
    default: Any
    reference_default: Any = SAME_DEFAULT
    sources: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    secret: bool = False
    environment: bool = True
    support: Support = Support.IMPLEMENTED
    notice: str = ""
    bounds_refresh: bool = False
    in_plan: bool = True

    @property
    def spelling(self) -> str:
        """The flag with its dashes, `--name`."""
        return f"--{self.name}"

    @property
    def is_switch(self) -> bool:
        """Whether the flag takes no value."""
        return self.kind is BOOLEAN

    @property
    def repeatable(self) -> bool:
        """Whether the flag may be given several times; its value is then a tuple."""
        return isinstance(self.default, tuple)

    @property
    def variable(self) -> str:
        """The environment variable that sets the flag (docs/spec/plan.md 8.1); "" if there is none."""
        return VARIABLE_PREFIX + self.name.replace("-", "_").upper() if self.environment else ""

    def get_default(self, *, compat: bool) -> Any:  # noqa: ANN401  # as many types as kinds
        """Return the value if the flag is not set. *compat* is whether `--compat` is set."""
        return self.reference_default if compat and self.reference_default is not SAME_DEFAULT else self.default

    def is_relevant(self, values: Mapping[str, Any]) -> bool:
        """Return whether *values* choose a source, a provider and a registry that the flag belongs to."""
        return (
            (not self.sources or not set(self.sources).isdisjoint(values["source"]))
            and (not self.providers or values["provider"] in self.providers)
            and (not self.registries or values["registry"] in self.registries)
        )

    def format_arguments(self, value: object, *, masked: bool = False) -> tuple[str, ...]:
        """Return the command-line arguments that set the flag to *value*; () for None and for an empty tuple.

        *masked* replaces a secret, and the secrets in a URL, by `******`.
        """
        if self.is_switch:
            return (self.spelling if value else f"--no-{self.name}",)
        return tuple(f"{self.spelling}={text}" for text in self.format_values(value, masked=masked))

    def format_values(self, value: object, *, masked: bool = False) -> tuple[str, ...]:
        """Return *value* as texts: one, or for a repeatable flag any number; () for None. See `format_arguments`."""
        if value is None:
            return ()
        texts = map(self.kind.format, value if self.repeatable and isinstance(value, tuple) else (value,))
        return tuple(map(self.mask_value, texts) if masked else texts)

    def mask_value(self, text: str) -> str:
        """Return *text*, a value of this flag, with secrets replaced by `******`."""
        if self.secret:
            return MASK if text else ""
        return mask_url(text) if self.kind.is_url else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A flag that was set: its value, and its *origin*, `--name` or the environment variable."""

    flag: Flag
    value: Any
    origin: str


class _Attributes(TypedDict, total=False):
    """The attributes of `Flag` that `flag` passes on as they are."""

    name: str
    topic: str
    sources: tuple[str, ...]
    providers: tuple[str, ...]
    registries: tuple[str, ...]
    secret: bool
    notice: str
    in_plan: bool


def flag(
    help: str,  # noqa: A002
    *,
    default: object = "",
    compat: object = SAME_DEFAULT,
    kind: ValueKind[Any] | None = None,
    metavar: str = "",
    **attributes: Unpack[_Attributes],
) -> Any:  # noqa: ANN401 - the value of a field has the type of the field
    """Define the flag of a field of a `FlagSection`; the arguments are described at `Flag`, but for their defaults.

    A *default* of True or False makes the flag a switch, a tuple makes it repeatable. *kind* is by default any text,
    *metavar* that of *kind*, *name* that of the field with `-` for `_` and without the unit `_s`; *topic*, *providers*
    and *in_plan* are those of the section. *compat* is the default with `--compat`.
    """
    if kind is None:
        kind = BOOLEAN if isinstance(default, bool) else make_text_kind(metavar or "TEXT")
    elif metavar:
        kind = replace(kind, metavar=metavar)
    return partial(Flag, help=help, kind=kind, default=default, reference_default=compat, **attributes)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class FlagSection:
    """A section of the flags: frozen values, by default those of the flags. The repr masks secrets.

    It is not a dataclass, because making those of all sections would take half of the time of `extdns --help`.

    Attributes:
        rows: the flag of each field. The name of a field is that of the flag with `_` for `-`, and ends in `_s` for a
            duration, in seconds.
    """

    rows: ClassVar[Mapping[str, Flag]]

    def __init_subclass__(cls, *, topic: str, providers: tuple[str, ...] = (), in_plan: bool = True) -> None:
        section = {"topic": topic, "providers": providers, "in_plan": in_plan}
        cls.rows = {
            field: row(**({"name": field.removesuffix("_s").replace("_", "-")} | section | row.keywords))
            for field, row in vars(cls).items()
            if isinstance(row, partial)
        }
        for field, row in cls.rows.items():
            setattr(cls, field, row.default)

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - type checkers see the fields of each section
        if unknown := values.keys() - self.rows.keys():
            raise TypeError(f"{type(self).__name__} has no fields {sorted(unknown)}")
        vars(self).update(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._list_values() == other._list_values()

    def __hash__(self) -> int:
        return hash(self._list_values())

    def __repr__(self) -> str:
        settings = self.list_settings()
        arguments = (text for flag, value in settings for text in flag.format_arguments(value, masked=True))
        return f"{type(self).__name__}({' '.join(arguments)})"

    def replace(self, **changes: Any) -> Self:  # noqa: ANN401 - values of any flags
        """Return a copy with other values in the fields that *changes* name."""
        return type(self)(**(vars(self) | changes))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        """Build the section from the *values* of all flags, by the name of the flag."""
        return cls(**{field: values[flag.name] for field, flag in cls.rows.items()})

    def validate(self) -> None:
        """Check that the values fit together; raise a UsageError if they do not. Called if the provider is chosen."""

    def list_settings(self) -> Iterator[tuple[Flag, object]]:
        """Return each flag with its value."""
        return ((flag, getattr(self, field)) for field, flag in self.rows.items())

    def _list_values(self) -> tuple[object, ...]:
        return tuple(value for _, value in self.list_settings())
