"""From a request to its answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tests.fakes.apiserver import answers, bodies, lists, options, patches, shapes
from tests.fakes.apiserver.access import Access
from tests.fakes.apiserver.answers import Answer
from tests.fakes.apiserver.discovery import discover
from tests.fakes.apiserver.kinds import Catalogue, Kind
from tests.fakes.apiserver.options import WatchList
from tests.fakes.apiserver.requests import Request
from tests.fakes.apiserver.shapes import Target
from tests.fakes.apiserver.statuses import ApiError, invalid
from tests.fakes.apiserver.store import Store
from tests.fakes.apiserver.watches import Order, Watch
from tests.fakes.apiserver.writes import Writes

_REVIEWS: Final = ("authorization.k8s.io", "selfsubjectaccessreviews")
_APPLY: Final = "application/apply-patch+yaml"
_PATCHES: Final = {
    "application/json-patch+json": patches.json_patch,
    "application/merge-patch+json": patches.merge,
    "application/strategic-merge-patch+json": patches.strategic,
}


@dataclass(kw_only=True)
class Api:
    """Answers requests.

    Attributes:
        watch_list: what becomes of `sendInitialEvents`.
        gone_as_status: a watch from too old a version is answered 410 at once, as servers before 1.9 did and
            proxies do, instead of by an ERROR frame in a 200.
        bookmark_every_s: how often watches that allow it get a bookmark.
        watches: the open ones.
    """

    store: Store
    catalogue: Catalogue
    access: Access
    watch_list: WatchList = WatchList.SERVED
    gone_as_status: bool = False
    bookmark_every_s: float = 60.0
    watches: set[Watch] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.writes = Writes(self.store)

    def answer(self, request: Request) -> Answer:
        """Answer *request*; what is wrong with it is part of the answer."""
        try:
            self.access.check(request)
            bodies.check_accept(request)
            if not request.resource:
                return discover(request.path, self.catalogue)
            if (request.group, request.resource) == _REVIEWS:
                return self._review(request)
            kind = self.catalogue.find(request.group, request.version, request.resource)
            if kind is None or not _exists(request, kind):
                return answers.no_route()
            return self._resource(request, kind)
        except ApiError as error:
            return answers.failure(error)

    def _review(self, request: Request) -> Answer:
        """Say whether the caller may do what is asked (SelfSubjectAccessReview); it is kept nowhere."""
        review = bodies.body(request)
        asked = review["spec"]["resourceAttributes"]
        allowed = self.access.allows(asked["verb"], asked["resource"], asked.get("namespace", ""))
        return answers.json({**review, "status": {"allowed": allowed}}, code=201)

    def _resource(self, request: Request, kind: Kind) -> Answer:
        target = Target(
            kind=kind,
            namespace=request.namespace,
            name=request.name,
            subresource=request.subresource,
            manager=request.query.get("fieldManager") or request.user_agent.partition("/")[0] or "unknown",
            dry_run=request.query.get("dryRun") == "All",
        )
        match request.verb:
            case "list":
                asked = options.parse(request.query, self.watch_list)
                return answers.plain(lists.page(self.store, kind, request.namespace, asked).encode(kind))
            case "watch":
                return self._watch(request, kind)
            case "get":
                return answers.json(self.writes.read(target))
            case "create":
                return answers.json(self.writes.create(target, bodies.body(request)), code=201)
            case "update":
                return answers.json(self.writes.update(target, bodies.body(request)))
            case "patch":
                return self._patch(request, target)
            case "delete":
                return answers.json(self.writes.delete(target, bodies.body(request) if request.body else {}))
            case _:
                raise ApiError(405, "the server does not allow this method on the requested resource")

    def _patch(self, request: Request, target: Target) -> Answer:
        content_type = request.headers.get("content-type", "").partition(";")[0].strip()
        if content_type == _APPLY:
            return self._apply(request, target)
        patch = _PATCHES.get(content_type)
        if patch is None or (target.kind.custom and patch is patches.strategic):
            raise bodies.unknown_format(*_PATCHES, _APPLY)
        if "force" in request.query:
            raise _bad_option("force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch")
        said = bodies.decoded(request.body)
        if patch is not patches.json_patch and not isinstance(said, dict):
            raise ApiError(400, f"error decoding patch: it is no object: {type(said).__name__}")
        return answers.json(self.writes.change(target, lambda old: shapes.patched(target, patch(old, said))))

    def _apply(self, request: Request, target: Target) -> Answer:
        if not request.query.get("fieldManager"):
            raise _bad_option("fieldManager", "FieldValueRequired", "Required value: is required for apply patch")
        config = bodies.body(request)
        with self.store.lock:
            is_new = target.key not in self.store.collection(target.kind).objects
            applied = self.writes.apply(target, config, force=options.is_true(request.query.get("force", "")))
        return answers.json(applied, code=201 if is_new else 200)

    def _watch(self, request: Request, kind: Kind) -> Answer:
        asked = options.parse(request.query, self.watch_list)
        if self.gone_as_status and 0 < (asked.version or 0) < self.store.horizon:
            raise ApiError(410, f"too old resource version: {asked.version} ({self.store.horizon})", reason="Gone")
        watch = Watch(
            store=self.store,
            kind=kind,
            namespace=request.namespace,
            options=asked,
            bookmark_every_s=self.bookmark_every_s,
        )
        parts = self._open(watch)
        next(parts)  # what happens from now on, before the client reads its answer, belongs to it
        return answers.stream(parts)

    def _open(self, watch: Watch) -> Iterator[bytes]:
        """Begin a watch with an empty part, then give its frames."""
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
        """Tell open watches, all or those of *kind*."""
        with self.store.lock:
            for watch in self.watches:
                if kind in {None, watch.kind}:
                    watch.order(order)


def _exists(request: Request, kind: Kind) -> bool:
    """Tell whether that path of *kind* leads anywhere."""
    if request.subresource and not (kind.status and request.subresource == "status"):
        return False
    if not kind.namespaced:
        return not request.namespace
    return bool(request.namespace) or not (request.name or request.verb == "create")


def _bad_option(field: str, reason: str, message: str) -> ApiError:
    return invalid("PatchOptions.meta.k8s.io", "", (field, reason, message))
