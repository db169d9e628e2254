"""When the status of a policy is written to its ConfigMap: only by the leader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from extdns.app.cluster import connect_api_server
from extdns.config import parse
from extdns.controller.clock import SystemClock
from extdns.kube.event_sender import EventSender
from extdns.kube.policy_status import ANNOTATION, ConfigMapPolicyStatusWriter
from tests.fakes.apiserver.server import ApiServer
from tests.objects import Json
from tests.program.installation import Installation

PROBLEMS: Final = {"dns/rules/names.rego": "conflict"}
CONFIG_MAP: Final[Json] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "rules", "namespace": "dns", "labels": {"openpolicyagent.org/policy": "rego"}},
}


class Gate:
    """A write gate that a test opens."""

    def __init__(self) -> None:
        self.opened = False

    def is_open(self) -> bool:
        return self.opened


@contextmanager
def start_writer(folder: Path, server: ApiServer, gate: Gate) -> Iterator[ConfigMapPolicyStatusWriter]:
    server.put(CONFIG_MAP)
    cluster = parse(Installation(folder, server, example_org="").flags(), {}).cluster
    events = EventSender(connect_api_server(cluster)[0], SystemClock(), pause_s=0.0)
    writer = ConfigMapPolicyStatusWriter(connect_api_server(cluster)[0], events, may_write=gate.is_open, retry_s=0.01)
    yield writer
    writer.close(10.0)


def read_status(server: ApiServer) -> object:
    found = server.get("ConfigMap", "dns", "rules")
    assert found is not None
    text = (found["metadata"].get("annotations") or {}).get(ANNOTATION)
    return json.loads(text) if text else None


def test_a_standby_writes_neither_the_status_annotation_of_a_policy_configmap_nor_an_event(tmp_path: Path) -> None:
    with ApiServer() as server:
        with start_writer(tmp_path, server, Gate()) as writer:
            writer.write(PROBLEMS)
        assert read_status(server) is None
        assert server.objects("Event") == []


def test_a_standby_that_becomes_the_leader_writes_the_latest_status_annotation_of_a_policy_configmap(
    tmp_path: Path,
) -> None:
    gate = Gate()
    with ApiServer() as server, start_writer(tmp_path, server, gate) as writer:
        writer.write({"dns/rules/names.rego": "an older problem"})
        writer.write(PROBLEMS)
        gate.opened = True
        server.log.wait_for("patch", "configmaps")
        assert read_status(server) == {"status": "error", "error": "names.rego: conflict"}
