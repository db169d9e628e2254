"""The hashed requirements, and which of them the image leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_ASYNC_CLIENT: Final = "the asynchronous client of the kubernetes package; extdns uses threads"
_RICH_DOCUMENTS: Final = "Rich renders Markdown with it; extdns prints tables and text"

UNUSED: Final[Mapping[str, str]] = {
    "aiohappyeyeballs": _ASYNC_CLIENT,
    "aiohttp": _ASYNC_CLIENT,
    "aiohttp-retry": _ASYNC_CLIENT,
    "aiosignal": _ASYNC_CLIENT,
    "attrs": _ASYNC_CLIENT,
    "frozenlist": _ASYNC_CLIENT,
    "markdown-it-py": _RICH_DOCUMENTS,
    "mdurl": _RICH_DOCUMENTS,
    "multidict": _ASYNC_CLIENT,
    "propcache": _ASYNC_CLIENT,
    "pyasn1": "google-auth signs with it if cryptography is not installed",
    "pyasn1-modules": "google-auth signs with it if cryptography is not installed",
    "pycparser": "cffi parses C headers with it while another package is built",
    "yarl": _ASYNC_CLIENT,
}
"""Packages that others require and extdns never imports, with the reason. The image does not have them."""

_REQUIREMENT: Final = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; [^\\\n]+)? \\\n"  # the marker holds for every image
    r"(?P<hashes>(?: {4}--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
    r"(?P<comment>(?: {4}#.*\n)*)",
    re.MULTILINE,
)
_HASH: Final = re.compile(r"sha256:([0-9a-f]{64})")
_VIA: Final = re.compile(r"^ {4}#(?: via| {2}) +([\w.-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One pinned package.

    Attributes:
        hashes: SHA-256 in hex of every file of this version that may be installed.
        required_by: names of the packages that require it; "extdns" for a direct requirement.
    """

    name: str
    version: str
    hashes: tuple[str, ...]
    required_by: tuple[str, ...]

    def render(self) -> str:
        """Return the requirement as pip reads it."""
        return f"{self.name}=={self.version} " + " ".join(f"--hash=sha256:{digest}" for digest in self.hashes)


def parse_requirements(text: str) -> tuple[Requirement, ...]:
    """Return what a requirements file of `make lock` pins.

    Raises:
        ValueError: a requirement has no version or no hash.
    """
    found = tuple(_find_requirements(text))
    if len(found) != len(re.findall(r"^\w", text, re.MULTILINE)):
        raise ValueError("a requirement has no version or no hash: run `make lock`")
    return found


def select_used(requirements: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    """Return the requirements that the image has.

    Raises:
        ValueError: `UNUSED` names a package that nothing requires any more.
    """
    if gone := UNUSED.keys() - {requirement.name for requirement in requirements}:
        raise ValueError(f"not required any more, remove it from release/requirements.py: {', '.join(sorted(gone))}")
    return tuple(requirement for requirement in requirements if requirement.name not in UNUSED)


def _find_requirements(text: str) -> Iterator[Requirement]:
    for match in _REQUIREMENT.finditer(text):
        yield Requirement(
            name=match["name"],
            version=match["version"],
            hashes=tuple(_HASH.findall(match["hashes"])),
            required_by=tuple(_VIA.findall(match["comment"])),
        )
