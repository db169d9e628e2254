"""`extdns check`: check credentials, permissions and connectivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extdns.command import OUTPUT, command
from extdns.commands.output import show_document


@command(
    examples=("extdns check @extdns.flags", "extdns check @extdns.flags --output=json"),
    exit_codes="0 if nothing that extdns needs is missing, otherwise 1.",
)
@OUTPUT
def main(flags: Sequence[str], environ: Mapping[str, str], *, output: str) -> int:
    """Check everything that extdns needs, with calls that change nothing.

    That is that the API server answers within three seconds, and grants each permission that the sources and the other
    flags need (SelfSubjectAccessReview); that every kind of object can be listed, and that an object requests a name;
    that the DNS service accepts the credentials, and lets extdns list and read zones; and that each zone can be
    written.

    Whether a zone can be changed is taken from the service's permission API, for zone files from the permissions of the
    file, and for rfc2136 from an update whose prerequisite never holds, as for a table of DynamoDB. Where only a real
    change could show it, the result is "unknown", with the reason. If no object was read, or if filters exclude every
    zone or name, that counts as missing, and so does a flag value that has no effect. Nothing is written.
    """
    from extdns.commands.checks import run_checks
    from extdns.commands.one_pass import configure_pass, describe_command
    from extdns.controller.exit_codes import DONE, FAILED
    from extdns.documents.check import CheckDocument, format_check

    config = configure_pass(flags, environ)
    document = CheckDocument(process=describe_command(config), checks=tuple(run_checks(config, environ)))
    show_document(document, format_check(document), output)
    return FAILED if any(one.state == "missing" for one in document.checks) else DONE
