"""Start a Kubernetes control plane, print its kubeconfig, and stop at Ctrl-C. Build its programs if there are none."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from tests.kubernetes.cluster import NEWEST, Cluster
from tests.required_programs import KUBERNETES


def main() -> None:
    """Run the newest version, from the folder where `.ci/run` keeps it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "extdns/bin" / f"kubernetes@{KUBERNETES[NEWEST]}"
    if not (folder / f"kube-apiserver-{NEWEST}").exists():
        subprocess.run([".ci/build-kubernetes", KUBERNETES[NEWEST], folder], check=True)
    os.environ["PATH"] += f"{os.pathsep}{folder}"
    with TemporaryDirectory(prefix="kubeconfig") as place, Cluster() as cluster:
        kubeconfig = cluster.kubeconfig(Path(place) / "kubeconfig")
        sys.stdout.write(f"export KUBECONFIG={kubeconfig} PATH=$PATH:{folder}\nkubectl-{NEWEST} get namespaces\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            Event().wait()


if __name__ == "__main__":
    main()
