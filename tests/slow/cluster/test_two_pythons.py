"""Two replicas, one on the Python of the tests and one on that of the image, which is newer."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Final

from tests.fakes.route53.server import Route53
from tests.kubernetes.cluster import Cluster
from tests.slow.chaos.replicas import Replica
from tests.slow.chart.tools import Helm
from tests.slow.cluster.life import ZONE, Life, build_service, build_services
from tests.slow.cluster.release import Release
from tests.slow.image.test_without_shell import CHROOT, debian

__all__ = ["debian"]

SHOP: Final = "pythons"
VALUES: Final = {
    "sources": ["service"],
    "replicaCount": 2,
    "extraArgs": {
        "leader-elect-lease-duration": "14s",
        "leader-elect-renew-deadline": "2s",
        "leader-elect-retry-period": "100ms",
    },
}


class ImageReplica(Replica):
    """A replica in the root file system *root*, which has a copy of *folder* at the same path."""

    def __init__(self, root: Path, folder: Path, life: Life, environ: Mapping[str, str]) -> None:
        super().__init__("1", folder, life.flags, environ)
        self._root = root
        shutil.copytree(folder, root / folder.relative_to("/"))

    def _spawn(self, flags: Sequence[str], environ: Mapping[str, str], streams: Sequence[int]) -> Popen[bytes]:
        stdin, stdout, stderr = streams
        command = (str(CHROOT), str(self._root), "extdns", *flags)
        variables = {**environ, "PATH": "/opt/extdns/bin:/usr/bin"}
        return Popen(command, stdin=stdin, stdout=stdout, stderr=stderr, env=variables)


def find_python(replica: Replica) -> str:
    found = re.search(r'go_version="(python3\.\d+)', replica.get("/metrics")[1])
    assert found is not None
    return found[1]


def is_ready(replica: Replica) -> bool:
    return replica.get("/readyz")[0] == 200


def test_replicas_on_two_versions_of_python_take_over_from_each_other(
    cluster: Cluster, helm: Helm, dns: Route53, debian: Path, tmp_path: Path
) -> None:
    with Release(cluster, helm, tmp_path, VALUES) as release:
        life = Life(release, dns, tmp_path)
        old, new = life.process, ImageReplica(debian, tmp_path, life, release.environ(dns))
        cluster.put_all(build_services(SHOP))
        old.start()
        life.until_published()
        new.start()
        assert find_python(old) != find_python(new)
        for number, (leader, standby) in enumerate(((old, new), (new, old))):
            life.until(leader.is_leader)
            life.until(partial(is_ready, standby))
            leader.end(signal.SIGKILL)
            cluster.delete("Service", SHOP, f"{SHOP}-{number}")
            cluster.put(build_service(f"new-{number}", SHOP))
            leader.start()
            life.until_published()
            cluster.roll()
        assert life.deleted() == {f"{SHOP}-{number}.{ZONE}" for number in range(2)}
        assert new.end(signal.SIGTERM) == 0
        life.end()
