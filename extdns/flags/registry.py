"""How ownership of records is marked."""

from __future__ import annotations

from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import ABSENT, Flag, Moot
from extdns.flags.kind import BOOLEAN, choice, text

REGISTRIES: Final = ("aws-sd", "crd", "dynamodb", "noop", "txt")
_TXT: Final = ("dynamodb", "txt")  # dynamodb reads TXT marks when it takes over from txt

FLAGS: Final = (
    Flag(
        name="registry",
        kind=choice("a registry", *REGISTRIES),
        default="txt",
        help="what marks records as ours: txt are TXT records beside them, noop is nothing at all",
    ),
    Flag(
        name="txt-owner-id",
        kind=text("ID"),
        default="default",
        help="name that marks records as ours; one for each extdns that shares a zone",
    ),
    Flag(
        name="txt-prefix",
        kind=text("PREFIX"),
        registries=_TXT,
        help="put before the name of a TXT mark; %{record_type} in it becomes the type; not with --txt-suffix",
    ),
    Flag(
        name="txt-suffix",
        kind=text("SUFFIX"),
        registries=_TXT,
        help="put after the first label of the name of a TXT mark; %{record_type} in it becomes the type",
    ),
    Flag(
        name="txt-wildcard-replacement",
        kind=text("LABEL"),
        registries=_TXT,
        help="stands for * in the name of a TXT mark",
    ),
    Flag(
        name="migrate-from-txt-owner",
        kind=text("ID"),
        registries=("txt",),
        help="owner whose claimed records are taken over",
    ),
    Flag(
        name="txt-encrypt-enabled",
        kind=BOOLEAN,
        default=False,
        registries=_TXT,
        help="encrypt TXT marks",
    ),
    Flag(
        name="txt-encrypt-aes-key",
        kind=text("KEY"),
        registries=_TXT,
        secret=True,
        help="key for TXT marks: 32 bytes, or the base64 of 32 bytes",
    ),
    Flag(
        name="txt-cache-interval",
        kind=DURATION,
        default=0.0,
        registries=_TXT,
        state=Moot(says="sets the least time between two audits of a zone; there is no cache", bounds_audit=True),
        help="how long the marks that were read are kept",
    ),
    Flag(
        name="dynamodb-region",
        kind=text("REGION"),
        registries=("dynamodb",),
        state=ABSENT,
        help="AWS region of the table",
    ),
    Flag(
        name="dynamodb-table",
        kind=text("NAME"),
        default="external-dns",
        registries=("dynamodb",),
        state=ABSENT,
        help="table that holds the marks",
    ),
    Flag(
        name="crd-registry-namespace",
        kind=text("NAME"),
        registries=("crd",),
        state=ABSENT,
        help="namespace of the DNSRecord objects; else the pod's own",
    ),
)
