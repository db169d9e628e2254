"""The saved state: in a ConfigMap or in a file (docs/design/state.md)."""

from __future__ import annotations

import re
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from extdns import log
from extdns.app.cluster import connect_api_server, find_own_namespace, has_live_cluster
from extdns.controller.write_gate import WriteGate
from extdns.engine.health import find_state_failure
from extdns.errors import ExtdnsError, escape_unprintable, sanitize
from extdns.flags.usage_errors import usage_error
from extdns.kube import state_document
from extdns.kube.state_store import ConfigMapStateStore, FileStateStore
from extdns.log import Event
from extdns.model.kind import CONFIG_MAP, ObjectKey
from extdns.model.saved_state import Approval, Saved

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.engine.engine import Engine
    from extdns.flags.process import ClusterFlags
    from extdns.flags.records import DeleteFlags
    from extdns.kube.api import ApiClient
    from extdns.kube.state_document import StateDocument
    from extdns.kube.state_store import StateDocumentStore


_log = log.get(__name__)
_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


class DocumentStateStore:
    """Implement `extdns.ports.StateStore` for one owner id. The document also holds the state of other owner ids."""

    def __init__(self, document_store: StateDocumentStore, owner: str, gate: WriteGate | None = None) -> None:
        """Save the state of *owner* in *document_store*, while *gate* is open; None means always."""
        self._document_store = document_store
        self._owner = owner
        self._gate = gate or WriteGate()
        self._reported_problem = ""

    def load(self) -> Saved:
        """Load the saved state and the approval codes. State that cannot be decoded is logged, and counts as lost."""
        document = self._document_store.read()
        if document is None:
            return Saved(is_new=True)
        return replace(self._parse(document), approvals=state_document.read_approvals(document))

    def save(self, saved: Saved) -> None:
        """Replace the saved state by *saved*.

        Raises:
            ExtdnsError: the call failed, or the write gate is closed.
        """
        self._document_store.update(lambda document: self._replace(document, saved))

    def load_approvals(self) -> tuple[Approval, ...]:
        """Return the approvals in the annotation of the state document."""
        document = self._document_store.read()
        return () if document is None else state_document.read_approvals(document)

    def _replace(self, document: StateDocument, saved: Saved) -> StateDocument:
        if not self._gate.is_open():
            raise ExtdnsError("this process may not write: only the leader saves state")
        self._parse(document)  # to log that state is lost, if it cannot be decoded
        return state_document.replace_saved_state(document, self._owner, saved)

    def _parse(self, document: StateDocument) -> Saved:
        try:
            found = state_document.read_saved_state(document, self._owner)
        except state_document.DamagedStateError as exc:
            if self._reported_problem != str(exc):
                self._reported_problem = str(exc)
                _log.warning(
                    Event.STATE_UNREADABLE, place=str(self._document_store), owner=self._owner, message=str(exc)
                )
            return Saved(is_new=True, load_error=str(exc))
        self._reported_problem = ""
        return found


def build_state_store(config: Config, owner: str, gate: WriteGate | None = None) -> DocumentStateStore | None:
    """Build the state store of *owner*, which saves while *gate* is open; None if the flags name none."""
    found = find_configured_store(config)
    return None if found is None else DocumentStateStore(found, owner, gate)


def find_configured_store(config: Config) -> StateDocumentStore | None:
    """Build the store of the state document of a process with *config*; None if it saves no state."""
    if not (config.deletes.state_file or has_live_cluster(config)):
        return None
    return find_document_store(config.cluster, config.deletes)


def is_state_missing(config: Config) -> bool:
    """Return whether a live cluster is watched without a state store; False with `--compat`, which needs none."""
    return has_live_cluster(config) and not (
        config.deletes.state_file or config.deletes.state_configmap or config.control.compat
    )


def find_file_failure(config: Config, engine: Engine) -> str:
    """Return why the `--state-file` could not be read or written, "" if it could, or if state is saved elsewhere.

    A ConfigMap is the default, and a role made for external-dns does not permit it: its failure is only logged.
    """
    return find_state_failure(engine) if config.deletes.state_file else ""


def find_state_configmap(config: Config) -> ObjectKey | None:
    """Return the ConfigMap in which state is saved, None if it is saved elsewhere or nowhere."""
    if config.deletes.state_file or not (has_live_cluster(config) and config.deletes.state_configmap):
        return None
    return ObjectKey(CONFIG_MAP, *_locate_configmap(connect_api_server(config.cluster), config.deletes.state_configmap))


def _locate_configmap(api: ApiClient, text: str) -> tuple[str, str]:
    """Return the namespace and the name of the ConfigMap that `--state-configmap`=*text* names."""
    namespace, _, name = text.rpartition("/")
    return namespace or find_own_namespace(api.namespace), name


def find_document_store(cluster: ClusterFlags, deletes: DeleteFlags) -> StateDocumentStore | None:
    """Build the store of the state document that the flags name; None if they name none."""
    if deletes.state_file:
        return FileStateStore(_parse_path(deletes.state_file))
    return _build_configmap_store(cluster, deletes.state_configmap) if deletes.state_configmap else None


def _parse_path(text: str) -> Path:
    path = Path(text)
    if problem := _find_path_problem(path):
        raise usage_error(
            f"--state-file={escape_unprintable(text)} cannot be used: {problem}",
            "allowed: the path of a file in an existing folder",
        )
    return path


def _find_path_problem(path: Path) -> str:
    """Return why no file can be at *path*, "" if one can."""
    folder = escape_unprintable(str(path.parent))
    try:
        if not S_ISDIR(path.parent.stat().st_mode):
            return f"{folder} is not a folder"
        return "it is a folder" if path.is_dir() else ""
    except FileNotFoundError:
        return f"there is no folder {folder}"
    except OSError as exc:  # such as a name that is too long, or a folder that the user may not search
        return exc.strerror or str(exc)
    except ValueError:
        return "it contains a NUL character"


def _build_configmap_store(cluster: ClusterFlags, text: str) -> StateDocumentStore:
    namespace, slash, name = text.rpartition("/")
    if not _NAME.fullmatch(name) or (slash and not _NAME.fullmatch(namespace)):
        raise usage_error(
            f"--state-configmap={sanitize(text)} is not a valid name of a ConfigMap",
            "allowed: NAME or NAMESPACE/NAME, of lower-case letters, digits, - and .",
        )
    api = connect_api_server(cluster)
    return ConfigMapStateStore(api, *_locate_configmap(api, text))
