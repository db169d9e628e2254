"""Where the objects are read from."""

from __future__ import annotations

from typing import Final

from extdns.flags.duration import DURATION
from extdns.flags.flag import Flag, Implemented, Moot
from extdns.flags.kind import number, text

DEFAULT_TIMEOUT_S: Final = 30.0
STANDARD_INPUT: Final = "-"
"""What `--manifests` calls it."""

_FORMER: Final = Implemented(says="is the old name of --kube-api-request-timeout; write that")
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
    Flag(name="server", kind=text("URL"), help="API server to ask instead of the one that the kubeconfig names"),
    Flag(
        name="kubeconfig",
        kind=text("PATH"),
        help="kubeconfig file; else $KUBECONFIG, else ~/.kube/config if there is one, else the pod's own account",
    ),
    Flag(
        name="kube-api-request-timeout",
        kind=DURATION,
        default=DEFAULT_TIMEOUT_S,
        help="time limit of one request to the API server; 0 is none; watches go on for longer",
    ),
    Flag(
        name="request-timeout",
        kind=DURATION,
        default=DEFAULT_TIMEOUT_S,
        state=_FORMER,
        help="old name of --kube-api-request-timeout, which it overrides unless it is 30s",
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
