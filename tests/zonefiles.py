"""Hypothesis generators for zone files that leave out owner, class and TTL in all ways and have comments anywhere."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

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


@st.composite
def _lines(draw: st.DrawFn, *, ttl: bool) -> str:
    rtype = draw(st.sampled_from(sorted(_DATA)))
    data = draw(st.sampled_from(_DATA[rtype]))
    front = [draw(st.sampled_from(("60", "1h")))] if ttl or draw(st.booleans()) else []
    front += draw(st.sampled_from(((), ("IN",), ("in",))))
    words = [draw(st.sampled_from(_OWNERS)), *draw(st.permutations(front)), rtype, data]
    return draw(st.sampled_from((" ", "\t"))).join(words) + draw(st.sampled_from(("\n", " ; end\n")))


@st.composite
def zone_texts(draw: st.DrawFn) -> str:
    """Generate the text of a zone example.org without CNAMEs; its last line may lack a line end."""
    default = draw(st.sampled_from(("", "$TTL 300\n")))
    fillers = st.sampled_from(_FILLERS)
    parts = [default, draw(fillers), _SOA]
    for line in draw(st.lists(_lines(ttl=False), max_size=8)):
        parts += [draw(fillers), line]
    text = "".join(parts)
    return text.rstrip("\n") if draw(st.booleans()) else text
