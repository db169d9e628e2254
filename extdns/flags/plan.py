"""Which names, types and zones are managed."""

from __future__ import annotations

from typing import Final

from extdns.flags.flag import ABSENT, Flag
from extdns.flags.kind import text
from extdns.flags.regex import REGEX

FLAGS: Final = (
    Flag(
        name="domain-filter",
        kind=text("DOMAIN"),
        default=(),
        repeatable=True,
        help="manage only names in this domain; .example.org spares example.org itself",
    ),
    Flag(
        name="exclude-domains",
        kind=text("DOMAIN"),
        default=(),
        repeatable=True,
        help="never manage names in this domain",
    ),
    Flag(
        name="regex-domain-filter",
        kind=REGEX,
        default=None,
        help="manage only names that match (RE2 syntax); replaces --domain-filter and --exclude-domains",
    ),
    Flag(
        name="regex-domain-exclusion",
        kind=REGEX,
        default=None,
        help="never manage names that match (RE2 syntax); replaces --domain-filter and --exclude-domains",
    ),
    Flag(
        name="managed-record-types",
        kind=text("TYPE"),
        default=("A", "AAAA", "CNAME"),
        repeatable=True,
        help="record type under management, in capitals",
    ),
    Flag(
        name="exclude-record-types",
        kind=text("TYPE"),
        default=(),
        repeatable=True,
        help="record type not under management after all",
    ),
    Flag(
        name="zone-id-filter",
        kind=text("ID"),
        default=(),
        repeatable=True,
        providers=("aws", "azure", "azure-dns", "azure-private-dns", "cloudflare", "google"),
        help="manage only zones whose id ends so",
    ),
    Flag(
        name="zone-name-filter",
        kind=text("NAME"),
        default=(),
        repeatable=True,
        providers=("azure", "azure-dns", "azure-private-dns"),
        state=ABSENT,
        help="manage only zones with this name",
    ),
)
