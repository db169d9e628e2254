"""Debian's etcd is too old to stream lists: the API server answers a request for one with an error in the stream."""

from __future__ import annotations

from pathlib import Path

from tests.kubernetes.cluster import Cluster
from tests.program.process import running
from tests.slow.cluster.life import build_service

STREAMED_LIST = {
    "watch": "1",
    "sendInitialEvents": "true",
    "resourceVersionMatch": "NotOlderThan",
    "allowWatchBookmarks": "true",
}
FLAGS = ("--source=service", "--provider=inmemory", "--inmemory-zone=example.org", "--metrics-address=127.0.0.1:0")


def test_the_program_lists_and_watches_if_etcd_is_too_old_for_streamed_lists(tmp_path: Path) -> None:
    with Cluster(etcd="etcd") as cluster:
        answer = cluster.raw_client.get("/api/v1/services", **STREAMED_LIST).body
        assert (answer["type"], answer["object"]["code"]) == ("ERROR", 500)
        cluster.put(build_service("before", "shop"))
        with running(*FLAGS, f"--kubeconfig={cluster.kubeconfig(tmp_path / 'kubeconfig')}") as process:
            process.until("CREATE before.example.org A")
            cluster.put(build_service("after", "shop"))
            process.until("CREATE after.example.org A")
