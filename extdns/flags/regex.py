"""Regular expressions of `--regex-domain-filter` and `--regex-domain-exclusion`, in RE2 (docs/spec/plan.md 7.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from extdns.errors import sanitize
from extdns.flags.kind import ValueKind
from extdns.flags.usage_errors import usage_error


@dataclass(frozen=True, slots=True, kw_only=True)
class Regex:
    """A compiled regular expression. Two are equal if their *text*, as given by the user, is equal."""

    text: str
    compiled: Any = field(compare=False, repr=False)

    def search(self, text: str) -> object | None:
        """Return what is found in *text*, None if the expression matches nowhere in it."""
        found: object | None = self.compiled.search(text.encode(errors="surrogatepass"))  # five times as fast as a str
        return found


def parse_regex(text: str) -> Regex | None:
    """Compile a regular expression in the syntax of RE2. Return None for "".

    Raises:
        ValueError: *text* is invalid.
    """
    if not text:
        return None
    try:
        import re2  # noqa: PLC0415 - only who uses regular expressions pays for it
    except ImportError as error:
        raise usage_error(
            "regular expressions need the package google-re2", "install it: pip install google-re2"
        ) from error
    options = re2.Options()
    options.log_errors = False
    try:
        return Regex(text=text, compiled=re2.compile(text, options))
    except re2.error as error:
        raise ValueError(sanitize(error.args[0].decode(errors="replace"))) from error
    except UnicodeEncodeError as error:
        raise ValueError("it is not UTF-8 text") from error


REGEX: Final[ValueKind[Regex | None]] = ValueKind(
    noun="a regular expression",
    metavar="REGEX",
    allowed="RE2 syntax",
    parse=parse_regex,
    format=lambda regex: regex.text if regex else "",
)
