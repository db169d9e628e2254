"""`extdns adopt`: take ownership of existing records that are as objects request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from extdns.command import OUTPUT, command, option
from extdns.commands.output import show_document
from extdns.flags.usage_errors import usage_error


@command(
    examples=("extdns adopt @extdns.flags", "extdns adopt @extdns.flags --yes"),
    exit_codes=(
        "0 if nothing is left to adopt or re-encrypt, 2 if something is, 1 if a flag is wrong, something could not be "
        "read, or a record cannot be adopted or re-encrypted."
    ),
)
@option("--re-encrypt", is_flag=True, help="encrypts ownership records of ours with the first key")
@option("--yes", is_flag=True, help="writes the ownership records")
@OUTPUT
def main(flags: Sequence[str], environ: Mapping[str, str], *, yes: bool, re_encrypt: bool, output: str) -> int:
    """Take ownership of existing records, such as those made by hand or by a tool that is no longer used.

    A record can be adopted if it is exactly as an object requests and nobody owns it. Without --yes, the records are
    only listed.

    With --yes, extdns writes the ownership records and nothing else; no other record changes. A record that somebody
    changes in the meantime is left alone. From then on extdns keeps the adopted records up to date, and deletes them
    when no object requests them. Nothing is written while something cannot be read.

    Records that cannot be adopted are listed with the reason. Records that differ from what objects request are not
    adopted; `extdns plan` shows them.

    With --re-encrypt, no record is adopted. Instead, the ownership records of ours that are plain text, or encrypted
    with another key than the first --txt-encrypt-aes-key, are encrypted with the first key. Records that no object
    requests, or that extdns is about to change, are listed as ones that cannot be re-encrypted.
    """
    from extdns.app.registry import find_ownership_names
    from extdns.commands.adoption import adopt
    from extdns.commands.one_pass import configure_pass, describe_command, require_files
    from extdns.controller.exit_codes import DONE, FAILED, INCOMPLETE
    from extdns.documents.migration import format_adoption

    config = configure_pass(flags, environ)
    if not config.registry.txt_owner_id or find_ownership_names(config.registry) is None:
        raise usage_error("extdns adopt needs ownership records", "give --registry=txt and --txt-owner-id")
    if re_encrypt and not config.registry.txt_encrypt_enabled:
        raise usage_error("--re-encrypt needs encrypted ownership records", "give --txt-encrypt-enabled")
    require_files(config, "extdns adopt")
    if yes and config.control.dry_run:
        raise usage_error("--yes writes, and --dry-run forbids it", "leave one of them out")
    document = adopt(config, writes=yes, re_encrypts=re_encrypt)
    show_document(document, format_adoption(document, describe_command(config, flags)), output)
    if document.missing or document.refused:
        return FAILED
    return INCOMPLETE if document.records and not document.taken else DONE
