"""Hypothesis generators for zone files that leave out owner, class and TTL in all ways and have comments anywhere."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from tests.strategies import combinations

_OWNERS: Final = ("@", "a", "b", "WWW", "*.w", "x.a", "a.example.org.", "_sip._tcp", "")
_DATA: Final = {
    "A": ("192.0.2.1", "192.0.2.2"),
    "AAAA": ("2001:db8::1", "2001:DB8::2"),
    "TXT": ('"one; two" three', '"esc \\" \\\\ \\065"', '( bare ; comment )\n "second line" )'),
    "MX": ("10 mail", "20 ( mail.example.net. )"),
    "NS": ("ns1", "ns2.example.net."),
    "SRV": ("0 5 443 a",),
    "CAA": ('0 issue "ca.example"',),
}
_FILLERS: Final = ("", "; comment\n", "\n", "  \t\n", "; BEGIN extdns\n", "; END extdns\n", "$ORIGIN example.org.\n")
_SOA: Final = "@ 3600 IN SOA ns1 hostmaster ( 2024010101 ; serial ( \n 7200 900\n 1209600 300 )\n"


def _join(picked: tuple[tuple[str, str], str, str, str, bool, str, str]) -> str:
    content, owner, ttl, dns_class, ttl_first, space, end = picked
    front = [word for word in ((ttl, dns_class) if ttl_first else (dns_class, ttl)) if word]
    return space.join((owner, *front, *content)) + end


_LINES: Final = st.lists(
    combinations(
        tuple((rtype, data) for rtype, choices in _DATA.items() for data in choices),
        _OWNERS,
        ("", "", "60", "1h"),
        ("", "IN", "in"),
        (False, True),
        (" ", "\t"),
        ("\n", " ; end\n"),
    ).map(_join),
    max_size=8,
)
_BEGINNINGS: Final = st.sampled_from(("", "$TTL 300\n"))
_BETWEEN: Final = st.sampled_from(_FILLERS)


@st.composite
def zone_texts(draw: st.DrawFn) -> str:
    """Generate the text of a zone example.org without CNAMEs; its last line may lack a line end."""
    parts = [draw(_BEGINNINGS), draw(_BETWEEN), _SOA]
    for line in draw(_LINES):
        parts += [draw(_BETWEEN), line]
    text = "".join(parts)
    return text.rstrip("\n") if draw(st.booleans()) else text
