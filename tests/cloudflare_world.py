"""A zone in the fake Cloudflare, with a reader and a writer of it."""

from __future__ import annotations

from msgspec.structs import replace

from extdns.model.change import Applied, Outcome, Write
from extdns.model.record import DesiredRecord, Record
from extdns.model.value import StringMap
from providers.cloudflare.provider import CloudflareReader, CloudflareWriter
from providers.cloudflare.settings import CloudflareSettings
from tests.cloudflare import client
from tests.conformance.provider import build_batch
from tests.fakes.cloudflare.server import Cloudflare
from tests.objects import OLD_PREFIX
from tests.route53 import FastClock


class World:
    """A zone in *fake*, without calls so far."""

    def __init__(self, fake: Cloudflare, plan: str = "free", **settings: object) -> None:
        self.fake = fake
        self.id = fake.add_zone("example.org", plan)
        self.clock = FastClock()
        self.settings = CloudflareSettings(url=fake.url, **settings)  # type: ignore[arg-type]
        self.api = client(self.settings, self.clock)
        self.reader = CloudflareReader(self.settings, self.api)
        self.writer = CloudflareWriter(self.api)
        (self.zone,) = self.reader.list_zones().zones
        fake.calls.clear()

    def submit(self, *writes: Write) -> Outcome:
        return self.writer.submit(self.zone, build_batch(self.zone, writes))

    def apply(self, *writes: Write) -> dict[str, Record]:
        outcome = self.submit(*writes)
        assert isinstance(outcome, Applied), outcome
        return {record.type: record for record in outcome.records}

    def read(self) -> dict[str, Record]:
        return {f"{record.name} {record.type}": record for record in self.reader.read_page(self.zone, None).records}

    def contents(self) -> dict[str, str]:
        return {one["id"]: one["content"] for one in self.fake.list_records(self.id)}

    def actions(self) -> list[str]:
        found = [call.action for call in self.fake.calls]
        self.fake.calls.clear()
        return found

    def adjust(self, desired: DesiredRecord, **properties: str) -> DesiredRecord | str:
        stated = {f"{OLD_PREFIX}cloudflare-{key.replace('_', '-')}": value for key, value in properties.items()}
        found = self.reader.adjust([replace(desired, properties=StringMap.from_items(stated))], self.zone)
        return found.accepted[0] if found.accepted else found.refused[0].detail
