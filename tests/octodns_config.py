"""Configurations of octoDNS for tests, each with the zones `example.org` and `2.0.192.in-addr.arpa` of one provider."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.powerdns import API_KEY
from tests.updatable import KEY, ZONES, UpdatableServer

YAML_ZONE: Final = """\
? ''
: ttl: 3600
  type: NS
  value: ns1.example.org.
ns1:
  ttl: 3600
  type: A
  value: 192.0.2.53
"""


def write_config(folder: Path, provider: Mapping[str, object], zones: Sequence[str] = ZONES) -> Path:
    """Write a configuration whose *zones* have the provider `here`, and return its path."""
    entry = {"targets": ["here"]}
    document = {"providers": {"here": dict(provider)}, "zones": {f"{zone}.": entry for zone in zones}}
    path = folder / "octodns.yaml"
    path.write_text(json.dumps(document, indent=2))  # YAML contains JSON
    return path


def describe_bind(server: UpdatableServer) -> dict[str, object]:
    """Return the provider of octodns-bind for *server*."""
    return {
        "class": "octodns_bind.BindProvider",
        "host": server.address.host,
        "port": server.address.port,
        "key_name": KEY.name,
        "key_secret": KEY.secret,
        "key_algorithm": KEY.algorithm,
    }


def describe_powerdns(server: UpdatableServer) -> dict[str, object]:
    """Return the provider of octodns-powerdns for *server*."""
    url = urlsplit(server.http_address)
    return {"class": "octodns_powerdns.PowerDnsProvider", "host": url.hostname, "port": url.port, "api_key": API_KEY}


def describe_yaml(folder: Path) -> dict[str, object]:
    """Return octoDNS's own provider with a new file for `example.org` in *folder*."""
    (folder / "example.org.yaml").write_text(YAML_ZONE)
    return {"class": "octodns.provider.yaml.YamlProvider", "directory": str(folder), "escaped_semicolons": True}
