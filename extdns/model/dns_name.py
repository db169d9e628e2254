"""Domain names in canonical form (RFC 9499 section 2, UTS #46; docs/spec/plan.md 0.3).

All code uses one spelling of a name: A-labels, lower case, no trailing dot. So two spellings of a name are
one dictionary key, and no other code checks whether a name is well formed.

"""

from __future__ import annotations

import re
from typing import Final, Self

from extdns.errors import InvalidValueError
from extdns.model.cache import cache_short

MAX_LABEL_BYTES = 63
MAX_NAME_BYTES = 253
RESERVED_LABEL = "_extdns"
_RESERVED: Final = (f"{RESERVED_LABEL}-", f"{RESERVED_LABEL}.")
_ACE = "xn--"
# The four deviation characters of UTS #46 transitional processing, which the package `idna` no longer maps.
_DEVIATIONS = str.maketrans({"\u00df": "ss", "\u03c2": "\u03c3", "\u200c": "", "\u200d": ""})
# Nearly every name matches this and needs no change but removing the trailing dot that services add.
_CANONICAL = re.compile(r"((?:[a-z0-9*_-]{1,63}\.)*[a-z0-9*_-]{1,63})\.?")
_ALLOWED = frozenset(chr(code) for code in range(0x21, 0x7F)) - frozenset("\\.")


class DnsName(str):
    """A fully qualified domain name in canonical form, without trailing dot.

    A subclass of `str`, so that it hashes and sorts as fast. Labels may hold every printable ASCII
    character except blank, dot and backslash, so `*` and `_` are legal (RFC 2181 section 11).
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse any spelling of a name: Unicode or A-labels, any case, with or without trailing dot.

        Blanks before and after the name are ignored.

        Raises:
            InvalidValueError: an empty name or label, a label over 63 or a name over 253 bytes, a
                blank in the name, a control character or backslash, or Unicode that has no A-label.
        """
        if len(text) <= MAX_NAME_BYTES and (found := _CANONICAL.fullmatch(text)):
            return cls(found[1])
        return cls(_canonical(text))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, leftmost first."""
        return tuple(self.split("."))

    @property
    def parent(self) -> str:
        """The name without its leftmost label; "" for a single label."""
        return self.partition(".")[2]

    @property
    def is_wildcard(self) -> bool:
        """Whether the leftmost label is `*` (RFC 4592 section 2.1.1)."""
        return self.startswith("*.")

    @property
    def is_reserved(self) -> bool:
        """Whether the leftmost label is `_extdns` or begins with `_extdns-`: only ownership records have such names."""
        return self.startswith(_RESERVED)

    @property
    def needs_escapes(self) -> bool:
        """Whether the name has other characters than letters, digits, `-`, `_` and `*`."""
        return _CANONICAL.fullmatch(self) is None

    @property
    def order(self) -> str:
        """The key by which providers sort the names of a zone: labels from the root down, as `org.example.www.`.

        As in Route 53, the trailing dot counts: `a-b` comes before `a`.
        """
        return ".".join(reversed(self.split("."))) + "."

    def within(self, ancestor: str) -> bool:
        """Return whether this name is *ancestor* or lies below it, by whole labels."""
        return self == ancestor or self.endswith("." + ancestor)

    def to_unicode(self) -> str:
        """Return the name with U-labels where they exist, for people and for domain filters (docs/spec/plan.md 0.3)."""
        return ".".join(_u_label(label) for label in self.split("."))


@cache_short(maxsize=4096)
def _canonical(text: str) -> str:
    name = text.strip().removesuffix(".")
    if not name.isascii():
        name = _to_ascii(name, text)
    name = name.lower()
    labels = name.split(".")
    for label in labels:
        _check_label(label, text)
    if len(name) > MAX_NAME_BYTES:
        raise InvalidValueError(text, f"a name of at most {MAX_NAME_BYTES} bytes", "invalid-name")
    return name


def _check_label(label: str, text: str) -> None:
    if not label:
        raise InvalidValueError(text, "a name without empty labels", "invalid-name")
    if len(label) > MAX_LABEL_BYTES:
        raise InvalidValueError(text, f"labels of at most {MAX_LABEL_BYTES} bytes", "invalid-name")
    if not _ALLOWED.issuperset(label):
        raise InvalidValueError(text, "printable characters without blank and backslash", "invalid-name")


def _to_ascii(name: str, text: str) -> str:
    """Map *name* by UTS #46 (non-strict, transitional) and encode what is not ASCII. Errors quote *text*.

    Labels that IDNA2008 forbids, such as emoji, are encoded all the same, because they are in use.
    """
    import idna  # noqa: PLC0415 - slow to import, and nearly all names are ASCII

    try:
        mapped = idna.uts46_remap(name.translate(_DEVIATIONS), std3_rules=False)
    except idna.IDNAError as exc:
        raise InvalidValueError(text, "a name that IDNA can encode", "invalid-name") from exc
    labels = mapped.removesuffix(".").split(".")
    return ".".join(label if label.isascii() else _ACE + label.encode("punycode").decode("ascii") for label in labels)


def _u_label(label: str) -> str:
    if not label.startswith(_ACE):
        return label
    try:
        text = label[len(_ACE) :].encode("ascii").decode("punycode")
        return text if _canonical(text) == label else label  # `xn--a` would be a control character
    except (UnicodeError, InvalidValueError):
        return label
