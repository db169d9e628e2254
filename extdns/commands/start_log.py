"""Log with which flags a process runs, and what is remarkable about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from extdns import __version__, log
from extdns.config import format_arguments
from extdns.log import Event

if TYPE_CHECKING:
    from extdns.config import Config

_log: Final = log.get(__name__)


def log_start(config: Config) -> None:
    """Log the version and the flags of *config*; as warnings, log its notices and warnings."""
    _log.info(Event.STARTED, version=__version__)
    _log.info(Event.CONFIGURED, **_build_fields(format_arguments(config)))
    for notice in config.notices:
        _log.warning(Event.FLAG_NOTICE, notice=notice)
    for warning in config.warnings:
        _log.warning(Event.FLAG_INEFFECTIVE, warning=warning.replace("\n ", ";"))


def _build_fields(arguments: Iterable[str]) -> dict[str, str]:
    """Return the arguments by flag name. Join the values of a repeated flag; a switch is `true` or `false`."""
    fields: dict[str, str] = {}
    for argument in arguments:
        name, equals, value = argument.removeprefix("--").partition("=")
        if not equals:
            name, value = name.removeprefix("no-"), str(not name.startswith("no-")).lower()
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields
