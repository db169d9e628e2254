"""Where the objects are read from."""

from __future__ import annotations

from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag, Moot
from extdns.flags.kind import number, text

_FILES_ONLY: Final = Moot(says="has no effect: objects are read from --manifests, not from an API server")
_WATCHED: Final = Moot(says="has no effect: objects are listed once and watched from then on")

FLAGS: Final = (
    Flag(
        name="manifests",
        kind=text("PATH"),
        default=(),
        repeatable=True,
        help="file or folder of YAML or JSON to read instead of a cluster; - is standard input",
    ),
    Flag(
        name="namespace",
        kind=text("NAME"),
        help="namespace whose objects are read; empty is all of them",
    ),
    Flag(name="server", kind=text("URL"), state=_FILES_ONLY, help="API server; used together with --kubeconfig"),
    Flag(
        name="kubeconfig",
        kind=text("PATH"),
        state=_FILES_ONLY,
        help="kubeconfig file; else ~/.kube/config if there is one, else the pod's own account",
    ),
    Flag(
        name="kube-api-request-timeout",
        kind=DURATION,
        default=30.0,
        state=_FILES_ONLY,
        help="time limit of one request to the API server; 0 is none",
    ),
    Flag(
        name="request-timeout",
        kind=DURATION,
        default=30.0,
        state=_FILES_ONLY,
        help="old name of --kube-api-request-timeout, which it overrides",
    ),
    Flag(
        name="kube-api-qps",
        kind=number(least=1),
        default=5,
        state=_WATCHED,
        help="most requests a second to the API server",
    ),
    Flag(
        name="kube-api-burst",
        kind=number(least=1),
        default=10,
        state=_WATCHED,
        help="most requests at once to the API server",
    ),
)
