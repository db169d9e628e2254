"""What this version has of what the flags can ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from extdns.flags.flag import Absent, Implemented, Moot
from extdns.flags.mistakes import mistake
from extdns.flags.parser import Setting
from extdns.flags.sources import SOURCES

AVAILABLE: Final[Mapping[str, tuple[str, ...]]] = {
    "source": tuple(name for name in SOURCES if name != "connector"),
    "provider": ("aws", "google", "inmemory", "zonefile"),
    "registry": ("noop", "txt"),
}


def require(given: Mapping[str, Setting], values: Mapping[str, Any]) -> None:
    """Stop the start if it needs what this version does not have.

    Args:
        given: what was given, by flag name.
        values: the value of every flag, by name.

    Raises:
        UsageError: a source, provider, registry or flag is missing here.
    """
    for name in AVAILABLE:
        _require_available(name, given, values)
    for setting in given.values():
        flag = setting.flag
        if isinstance(flag.state, Absent) and flag.belongs(values) and not flag.is_idle(setting.value):
            raise mistake(f"{setting.origin} is not supported by this version", "what is: extdns --help")


def _require_available(name: str, given: Mapping[str, Setting], values: Mapping[str, Any]) -> None:
    chosen = values[name] if isinstance(values[name], tuple) else (values[name],)
    origin = given[name].origin if name in given else f"--{name}"
    for one in chosen:
        if one not in AVAILABLE[name]:
            raise mistake(
                f"{origin}={one} is not supported by this version", f"available: {', '.join(AVAILABLE[name])}"
            )


def notices(given: Mapping[str, Setting], values: Mapping[str, Any]) -> tuple[str, ...]:
    """One line for each flag that was given, concerns what is chosen and is not quite what it was, in table order."""
    return tuple(
        f"{setting.origin} {setting.flag.state.says}"
        for setting in given.values()
        if isinstance(setting.flag.state, Moot | Implemented)
        and setting.flag.state.says
        and setting.flag.belongs(values)
    )


def least_audit_interval_s(given: Mapping[str, Setting], values: Mapping[str, Any]) -> float:
    """The longest of the cache times that were given, in seconds; 0 if none was (design 5)."""
    times = (
        float(setting.value)
        for setting in given.values()
        if isinstance(setting.flag.state, Moot) and setting.flag.state.bounds_audit and setting.flag.belongs(values)
    )
    return max((0.0, *times))
