"""Route a request of the fake API server to the code that answers it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tests.fakes.apiserver import answers, bodies, lists, options, patches, shapes
from tests.fakes.apiserver.access import USER, Access
from tests.fakes.apiserver.answers import Answer
from tests.fakes.apiserver.kinds import Catalogue, Kind
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.shapes import Target
from tests.fakes.apiserver.statuses import ApiError, invalid
from tests.fakes.apiserver.store import Store
from tests.fakes.apiserver.watches import Order, Watch
from tests.fakes.apiserver.writes import Writes

_ACCESS_REVIEWS: Final = ("authorization.k8s.io", "selfsubjectaccessreviews")
_USER_REVIEWS: Final = ("authentication.k8s.io", "selfsubjectreviews")
_APPLY: Final = "application/apply-patch+yaml"
_MERGE: Final = "application/merge-patch+json"
_VERSION: Final = {"major": "1", "minor": "37", "gitVersion": "v1.37.2"}


@dataclass(kw_only=True)
class Api:
    """Answers the requests of the fake API server.

    Attributes:
        watch_list: how the server treats the query parameter `sendInitialEvents`.
        gone_as_status: whether a watch from a version that is too old is answered with status 410, as by servers
            before 1.9 and by proxies. Otherwise the status is 200 and the watch sends an ERROR event.
        bookmark_every_s: interval of bookmarks on watches that allow them.
        user: the name of the user whom a SelfSubjectReview shows.
        watches: the open watches.
    """

    store: Store
    catalogue: Catalogue
    access: Access
    watch_list: WatchList = WatchList.SERVED
    gone_as_status: bool = False
    bookmark_every_s: float = 60.0
    user: str = USER
    watches: set[Watch] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.writes = Writes(self.store)

    def answer(self, request: Request) -> Answer:
        """Return the response to *request*. An error becomes a `Status`."""
        try:
            self.access.check(request)
            bodies.check_accept(request)
            if not request.resource:
                return self._discover(request.path)
            if (request.group, request.resource) == _ACCESS_REVIEWS:
                return self._review_access(request)
            if (request.group, request.resource) == _USER_REVIEWS:
                review = bodies.decode_object(request)
                return answers.build_json_answer({**review, "status": {"userInfo": {"username": self.user}}}, code=201)
            kind = self.catalogue.find(request.group, request.version, request.resource)
            if kind is None or not _has_path(request, kind):
                return answers.build_no_route()
            return self._resource(request, kind)
        except ApiError as error:
            return answers.build_failure(error)

    def _discover(self, path: str) -> Answer:
        """Answer a request for the version, or for the resources of a group and version."""
        if path == "/version":
            return answers.build_json_answer(_VERSION)
        served = [kind for kind in self.catalogue.list_served() if kind.path.rpartition("/")[0] == path]
        if not served:
            return answers.build_no_route()
        found = [{"name": kind.plural, "kind": kind.kind, "namespaced": kind.namespaced} for kind in served]
        listed = {"kind": "APIResourceList", "groupVersion": served[0].api_version, "resources": found}
        return answers.build_json_answer(listed)

    def _review_access(self, request: Request) -> Answer:
        """Answer a SelfSubjectAccessReview. The review is not stored."""
        review = bodies.decode_object(request)
        requested = review["spec"]["resourceAttributes"]
        allowed = self.access.allows(requested["verb"], requested["resource"], requested.get("namespace", ""))
        return answers.build_json_answer({**review, "status": {"allowed": allowed}}, code=201)

    def _resource(self, request: Request, kind: Kind) -> Answer:
        target = Target(
            kind=kind,
            namespace=request.namespace,
            name=request.name,
            subresource=request.subresource,
            manager=request.query.get("fieldManager") or request.user_agent.partition("/")[0] or "unknown",
        )
        match request.verb:
            case "list":
                requested = options.parse(request.query, self.watch_list)
                return answers.build_answer(
                    lists.list_page(self.store, kind, request.namespace, requested).encode(kind)
                )
            case "watch":
                return self._watch(request, kind)
            case "get":
                return answers.build_json_answer(self.writes.read(target))
            case "create":
                return answers.build_json_answer(self.writes.create(target, bodies.decode_object(request)), code=201)
            case "update":
                return answers.build_json_answer(self.writes.update(target, bodies.decode_object(request)))
            case "patch":
                return self._patch(request, target)
            case "delete":
                return answers.build_json_answer(self.writes.delete(target))
            case _:
                raise ApiError(405, "the server does not allow this method on the requested resource")

    def _patch(self, request: Request, target: Target) -> Answer:
        content_type = request.headers.get("content-type", "").partition(";")[0].strip()
        if content_type == _APPLY:
            return self._apply(request, target)
        if content_type != _MERGE:
            raise bodies.build_unknown_format(_MERGE, _APPLY)
        if "force" in request.query:
            raise _build_bad_option(
                "force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch"
            )
        patch = bodies.decode_object(request)
        return answers.build_json_answer(
            self.writes.change(
                target, lambda old: shapes.validate_patched(target, patches.apply_merge_patch(old, patch))
            )
        )

    def _apply(self, request: Request, target: Target) -> Answer:
        if not request.query.get("fieldManager"):
            raise _build_bad_option("fieldManager", "FieldValueRequired", "Required value: is required for apply patch")
        config = bodies.decode_object(request)
        with self.store.lock:
            is_new = target.key not in self.store.collection(target.kind).objects
            applied = self.writes.apply(target, config, force=options.is_true(request.query.get("force", "")))
        return answers.build_json_answer(applied, code=201 if is_new else 200)

    def _watch(self, request: Request, kind: Kind) -> Answer:
        requested = options.parse(request.query, self.watch_list)
        if self.gone_as_status and 0 < (requested.version or 0) < self.store.horizon:
            raise ApiError(410, f"too old resource version: {requested.version} ({self.store.horizon})", reason="Gone")
        watch = Watch(
            store=self.store,
            kind=kind,
            namespace=request.namespace,
            options=requested,
            bookmark_every_s=self.bookmark_every_s,
        )
        parts = self._open(watch)
        next(parts)  # the watch includes changes from now on, even before the client reads the response
        return answers.build_stream(parts)

    def _open(self, watch: Watch) -> Iterator[bytes]:
        with self.store.lock:
            self.watches.add(watch)
            frames = watch.start(self.watch_list)
        try:
            yield b""
            yield from frames
        finally:
            with self.store.lock:
                self.watches.discard(watch)

    def order(self, order: Order, kind: Kind | None = None) -> None:
        with self.store.lock:
            for watch in self.watches:
                if kind in {None, watch.kind}:
                    watch.order(order)


def _has_path(request: Request, kind: Kind) -> bool:
    """Return whether *request* uses a path that *kind* has: with or without a namespace or a status."""
    if request.subresource and not (kind.status and request.subresource == "status"):
        return False
    if not kind.namespaced:
        return not request.namespace
    return bool(request.namespace) or not (request.name or request.verb == "create")


def _build_bad_option(field: str, reason: str, message: str) -> ApiError:
    return invalid("PatchOptions.meta.k8s.io", "", (field, reason, message))
