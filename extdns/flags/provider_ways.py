"""How to reach a DNS service for which extdns has no provider of its own: through octoDNS, or a webhook provider.

The rows are in provider_ways.tsv; docs/reference/provider-ways.md shows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

PAGE: Final = "docs/reference/provider-ways.md"


class ProviderWay(NamedTuple):
    """The ways to a DNS service, "" for none.

    Attributes:
        names: what `--provider` of external-dns calls it, or what people do.
        versions: the versions of external-dns that have it, as `0.4.0 on`.
        package: the package of octoDNS.
        image: the version of the newest image of external-dns that can be a webhook for it.
        properties: the beginning of the properties of records that this image keeps.
        webhook: the repository of another webhook provider.
        note: what else to know.
    """

    names: tuple[str, ...]
    versions: str
    package: str
    image: str
    properties: str
    webhook: str
    note: str

    def describe(self, name: str, domains: Iterable[str]) -> Iterator[str]:
        """Yield a line for each way, for the *name* that was given and the *domains* of `--domain-filter`."""
        zones = tuple(domains) or ("ZONE",)
        filters = " ".join(f"--domain-filter={zone}" for zone in zones)
        if self.image:
            listed = ", ".join(zones)
            yield f"chart: provider.name: {name}, domainFilters: [{listed}], credentials in provider.webhook.env"
            yield (
                f"external-dns {self.image} in the same pod: --webhook-server --provider={name} --source=fake "
                f"--policy=sync {filters} --metrics-address=:8080"
            )
            kept = f" --webhook-provider-properties={self.properties}" if self.properties else ""
            yield f"extdns beside it: --provider=webhook {filters}{kept}"
        if self.package:
            yield f"octoDNS: pip install 'octodns<2' {self.package}; --provider=octodns --octodns-config=FILE"
        if self.webhook:
            yield f"webhook: --provider=webhook {filters}, with {self.webhook}"
        if self.note:
            yield f"note: {self.note}"
        yield f"more: {PAGE}"


def _read_ways() -> Iterator[ProviderWay]:
    for line in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            names, *cells = line.split("\t")
            yield ProviderWay(tuple(names.split(", ")), *cells)


WAYS: Final = tuple(_read_ways())
BY_PROVIDER: Final = {name: way for way in WAYS for name in way.names}
