"""Keeps state in a ConfigMap or a file (design 6, "State")."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns import log
from extdns.app.clusters import is_live
from extdns.controller.candidacy import may_write
from extdns.errors import ExtdnsError, InvalidValueError, shown
from extdns.flags.mistakes import mistake
from extdns.kube import shelf
from extdns.kube.places import ConfigMapPlace, FilePlace
from extdns.log import Event
from extdns.model.saved import Saved

if TYPE_CHECKING:
    from collections.abc import Callable

    from extdns.config import Cluster, Config, Deletes
    from extdns.kube.places import Place
    from extdns.kube.shelf import Document
    from extdns.ports import Lease

_log = log.get(__name__)
_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


class KeptState:
    """What is kept for one owner id, beside what others keep there."""

    def __init__(self, place: Place, owner: str, may_save: Callable[[], bool] = lambda: True) -> None:
        """Keep at *place* for *owner*; *may_save* is asked after each reading of what is to be replaced."""
        self._place = place
        self._owner = owner
        self._may_save = may_save
        self._told = ""

    def load(self) -> Saved:
        """What was kept, and the codes in the annotation; what cannot be read counts as nothing, and is told."""
        document = self._place.read()
        return Saved() if document is None else replace(self._saved(document), released=shelf.released(document))

    def save(self, saved: Saved) -> None:
        """Keep *saved*, unless another process has come to keep the state."""
        self._place.update(lambda document: self._replaced(document, saved))

    def released(self) -> tuple[str, ...]:
        """The codes in the annotation."""
        document = self._place.read()
        return () if document is None else shelf.released(document)

    def _replaced(self, document: Document, saved: Saved) -> Document:
        if not self._may_save():
            raise ExtdnsError("the state is kept by the process that leads")
        self._saved(document)  # what is lost by this is told
        return shelf.with_saved(document, self._owner, saved)

    def _saved(self, document: Document) -> Saved:
        try:
            found = shelf.saved(document, self._owner)
        except InvalidValueError as exc:
            if self._told != str(exc):
                self._told = str(exc)
                _log.warning(Event.STATE_BROKEN, place=str(self._place), owner=self._owner, message=str(exc))
            return Saved()
        self._told = ""
        return found


def state(config: Config, owner: str, lease: Lease | None = None) -> KeptState | None:
    """Where the state of *owner* is kept, while we hold *lease*; None if there is no place for it.

    Raises:
        UsageError: no state can be kept there.
    """
    wanted = config.deletes.state_file or is_live(config)
    found = place(config.cluster, config.deletes) if wanted else None
    if found is None:
        return None
    return KeptState(found, owner, partial(may_write, lease)) if lease else KeptState(found, owner)


def place(cluster: Cluster, deletes: Deletes) -> Place | None:
    """The place that the flags name, None if they name none.

    Raises:
        UsageError: no state can be kept there.
    """
    if deletes.state_file:
        return FilePlace(_in_folder(deletes.state_file))
    return _configmap(cluster, deletes.state_configmap) if deletes.state_configmap else None


def _in_folder(given: str) -> Path:
    path = Path(given)
    if "\0" in given or not path.parent.is_dir() or path.is_dir():
        raise mistake(
            f"--state-file={shown(given)} cannot be used", "allowed: the path of a file in a folder that is there"
        )
    return path


def _configmap(cluster: Cluster, given: str) -> Place:
    from extdns.app.apiservers import api_server, own_namespace

    namespace, slash, name = given.rpartition("/")
    if not _NAME.fullmatch(name) or (slash and not _NAME.fullmatch(namespace)):
        raise mistake(
            f"--state-configmap={shown(given)} is no name of a ConfigMap",
            "allowed: NAME or NAMESPACE/NAME, of small letters, digits, - and .",
        )
    api, of_kubeconfig = api_server(cluster)
    return ConfigMapPlace(api, namespace or own_namespace(of_kubeconfig), name)
