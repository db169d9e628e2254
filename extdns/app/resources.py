"""The kinds of `--unstructured-resource`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extdns.app.clusters import is_live
from extdns.errors import ApiError, UsageError

if TYPE_CHECKING:
    from extdns.config import Config
    from extdns.model.cluster import Kind


def asked(config: Config) -> tuple[Kind, ...]:
    """What the flag names, in its order, each once; a live cluster is asked what that is.

    Raises:
        UsageError: there is no value, or one that is no resource, or none that is served; or the API server does
            not answer.
    """
    from extdns.kube.resources import parse, presumed, served

    if not config.sources.unstructured_resource:
        raise UsageError("--source=unstructured has no resource to read\n  give --unstructured-resource=configmaps.v1")
    wanted = [parse(text) for text in dict.fromkeys(config.sources.unstructured_resource)]
    if not is_live(config):
        return tuple(presumed(resource) for resource in wanted)
    from extdns.app.apiservers import api_server

    api, _ = api_server(config.cluster)
    try:
        return tuple(served(resource, api) for resource in wanted)
    except ApiError as exc:
        raise UsageError(
            f"--unstructured-resource cannot be looked up: {exc}\n  at the start the API server must answer"
        ) from exc
    finally:
        api.close()
