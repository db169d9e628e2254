"""Define a flag: its name, the values it takes, when it applies, and whether this version supports it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from extdns.flags.kind import BOOLEAN, ValueKind
from extdns.masking import MASK, mask_url

SAME_DEFAULT: Final = object()
VARIABLE_PREFIX: Final = "EXTERNAL_DNS_"


@dataclass(frozen=True, slots=True)
class Implemented:
    """Marks a flag that this version supports.

    Attributes:
        notice: what to log if the flag is set, without the flag at the beginning; "" for nothing.
    """

    notice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moot:
    """Marks a flag of external-dns whose effect extdns does not have. It is accepted; if it is set, a notice is logged.

    Attributes:
        notice: what to log if the flag is set, without the flag at the beginning.
        bounds_refresh: whether its value, a duration, is nevertheless a minimum time between two refreshes of a zone.
    """

    notice: str
    bounds_refresh: bool = False


@dataclass(frozen=True, slots=True)
class Absent:
    """Marks a flag that this version does not support.

    Setting it is an error, unless its source, provider or registry is not chosen, or the value is its empty default.

    Attributes:
        alternative: what to do instead, "" if there is nothing.
    """

    alternative: str = ""


Support = Implemented | Moot | Absent
IMPLEMENTED: Final = Implemented()
ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A command-line flag: one row of the table of flags.

    Attributes:
        name: the name of the flag, without the dashes.
        kind: the kind of one value. With BOOLEAN the flag is a switch: `--name` and `--no-name`.
        help: what the flag does, as a sentence in lower case without a full stop.
        default: the value if the flag is not set; a tuple for a repeatable flag, None for no value.
        reference_default: the default with `--compat`, which is that of external-dns; SAME_DEFAULT if it is *default*.
        repeatable: whether the flag may be given several times; its value is then a tuple.
        sources: the sources that the flag belongs to, () for all.
        providers: the providers that the flag belongs to, () for all.
        registries: the registries that the flag belongs to, () for all.
        secret: whether the value is a secret, which is masked wherever it is shown.
        environment: whether an environment variable can set the flag.
        support: whether this version supports the flag.
    """

    name: str
    kind: ValueKind[Any]
    help: str
    default: Any = ""
    reference_default: Any = SAME_DEFAULT
    repeatable: bool = False
    sources: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    registries: tuple[str, ...] = ()
    secret: bool = False
    environment: bool = True
    support: Support = IMPLEMENTED

    @property
    def spelling(self) -> str:
        """The flag with its dashes, `--name`."""
        return f"--{self.name}"

    @property
    def is_switch(self) -> bool:
        """Whether the flag takes no value."""
        return self.kind is BOOLEAN

    @property
    def variable(self) -> str:
        """The environment variable that sets the flag (docs/spec/plan.md 8.1); "" if there is none."""
        return VARIABLE_PREFIX + self.name.replace("-", "_").upper() if self.environment else ""

    def get_default(self, *, compat: bool) -> Any:  # noqa: ANN401  # as many types as kinds
        """Return the value if the flag is not set. *compat* is whether `--compat` is set."""
        return self.reference_default if compat and self.reference_default is not SAME_DEFAULT else self.default

    def has_no_effect(self, value: object) -> bool:
        """Return whether *value* is the default and is empty, 0 or off.

        Such a value is allowed for an `Absent` flag.
        """
        return not value and value == self.default

    def is_relevant(self, values: Mapping[str, Any]) -> bool:
        """Return whether *values* choose a source, a provider and a registry that the flag belongs to."""
        return (
            (not self.sources or not set(self.sources).isdisjoint(values["source"]))
            and (not self.providers or values["provider"] in self.providers)
            and (not self.registries or values["registry"] in self.registries)
        )

    def format_arguments(self, value: object, *, masked: bool = False) -> tuple[str, ...]:
        """Return the command-line arguments that set the flag to *value*; () for None and for an empty tuple.

        Args:
            value: a value as the parser of the command line returns it.
            masked: whether to replace a secret, and the secrets in a URL, by `******`.
        """
        if self.is_switch:
            return (self.spelling if value else f"--no-{self.name}",)
        if value is None:
            return ()
        texts = (self.kind.format(one) for one in (value if self.repeatable and isinstance(value, tuple) else (value,)))
        return tuple(f"{self.spelling}={self.mask_value(text) if masked else text}" for text in texts)

    def mask_value(self, text: str) -> str:
        """Return *text*, a value of this flag, with secrets replaced by `******`."""
        if self.secret:
            return MASK if text else ""
        return mask_url(text) if self.kind.is_url else text
