"""`extdns init`: make a folder with a manifest, a zone file and flags to start with."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from extdns.command import NO_FLAGS, command
from extdns.commands.output import find_command, show_lines
from extdns.errors import UsageError, escape_unprintable

FLAGS_FILE: Final = "extdns.flags"
_MANIFEST: Final = """\
# Put your manifests into this folder, or the output of `kubectl get services,ingresses -A -o yaml`.
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: default
  annotations:
    external-dns.alpha.kubernetes.io/hostname: www.shop.example # the name to publish
spec:
  type: LoadBalancer
status: # in a cluster, the load balancer fills this in
  loadBalancer:
    ingress:
      - ip: 203.0.113.10
"""
_ZONE: Final = """\
; The file NAME.zone holds the zone NAME; add a file for each zone. extdns writes only below a marker of its own.
$ORIGIN shop.example.
$TTL 3600
@        IN SOA  ns1.shop.example. hostmaster.shop.example. 1 7200 900 1209600 300
         IN NS   ns1.shop.example.
ns1      IN A    192.0.2.53
"""
_FLAGS: Final = """\
# One flag a line: extdns @{file}
# Which objects are read, and where. Without --manifests, extdns reads the cluster of your kubeconfig.
--source=service
--source=ingress
--manifests={manifests}

# Where records are written. Other services: aws (Route 53), google (Cloud DNS), rfc2136 (DNS UPDATE: BIND, Knot and
# others), octodns (any service that octoDNS can write), webhook (a webhook of external-dns). The flags of one of them:
# extdns help flags rfc2136
--provider=zonefile
--zonefile-dir={zones}

# The name of this installation. It is written into the ownership record of each record; do not change it later.
--txt-owner-id=my-extdns
# Ownership records are at a-owner.NAME and the like, so that the name of a zone itself can be published, too.
--txt-prefix=%{{record_type}}-owner.

# sync also deletes records that nobody requests any more; upsert-only and create-only never delete.
--policy=sync
# Held deletes are remembered here.
--state-file={state}
"""


@command(
    flags=NO_FLAGS,
    examples=("extdns init my-dns", "extdns init path/to/my-dns"),
    exit_codes="0, or 1 if the folder is not empty or cannot be written.",
)
@click.argument("name", metavar="DIR", type=click.Path())
def main(_flags: Sequence[str], _: Mapping[str, str], *, name: str) -> int:
    """Make the folder DIR with manifests/web.yaml, zones/shop.example.zone and extdns.flags.

    Comments in extdns.flags say what each flag is for. The commands that use the files are printed. A folder that is
    not empty is left alone.
    """
    if not name:
        raise UsageError("extdns init needs the name of a folder\n  example: extdns init my-dns")
    folder = Path(name).absolute()
    _write_files(folder)
    command, flags = find_command(), shlex.quote(f"@{folder / FLAGS_FILE}")
    lines = (
        f"{folder} contains:",
        "  manifests/web.yaml        a Service that requests www.shop.example; put your own manifests next to it",
        "  zones/shop.example.zone   the zone that the records are written into",
        f"  {FLAGS_FILE}              the flags, each with a comment",
        "",
        "Next:",
        f"  {command} plan {flags}                          # what would change, and why",
        f"  {command} --once {flags} --log-level=warning    # write the records",
        f"  cat {shlex.quote(str(folder / 'zones' / 'shop.example.zone'))}",
    )
    show_lines(map(escape_unprintable, lines))
    return 0


def _write_files(folder: Path) -> None:
    state = folder / "state.json"
    places = {"manifests": folder / "manifests", "zones": folder / "zones", "state": state, "file": folder / FLAGS_FILE}
    files = {
        places["manifests"] / "web.yaml": _MANIFEST,
        places["zones"] / "shop.example.zone": _ZONE,
        places["file"]: _FLAGS.format_map(places),
    }
    shown = escape_unprintable(str(folder))
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise UsageError(f"{shown} is not empty\n  name a new folder; nothing was written")
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise UsageError(f"{shown} cannot be written: {exc.strerror}\n  name a folder that you can write") from exc
