"""Which regional hostnames Cloudflare's API accepts (API reference, "Regional Hostnames")."""

from __future__ import annotations

from typing import Final

from tests.fakes.cloudflare.values import Json, refuse

_REGIONS: Final = frozenset({"eu", "us", "ca"})


def answer_regions(
    held: dict[str, str], method: str, hostname: str, body: Json, zone_name: str, plan: str
) -> list[Json] | Json:
    """Return the result of a call about the regional hostnames *held*, each with its region, which it may change.

    Raises:
        ApiError: the API refuses the call.
    """
    if method == "GET" and not hostname:
        return [{"hostname": name, "region_key": region, "routing": "dns"} for name, region in held.items()]
    if plan != "enterprise":
        raise refuse(10000, "Regional services are not enabled for this account.", status=403)
    name = hostname or str(body.get("hostname", ""))
    if hostname and hostname not in held:
        raise refuse(1001, "The regional hostname does not exist.", status=404)
    if method == "DELETE" and hostname:
        del held[hostname]
        return {}
    if method not in ({"PATCH"} if hostname else {"POST"}):
        raise refuse(7001, f"Method not available: {method}", status=405)
    if set(body) != ({"region_key"} if hostname else {"hostname", "region_key"}):
        raise refuse(9207, f"Request body is invalid: {sorted(body)}.")
    if not (name == zone_name or name.endswith(f".{zone_name}")):
        raise refuse(9207, f"{name} is not in the zone.")
    if not hostname and name in held:
        raise refuse(9207, f"A regional hostname for {name} exists.")
    if body["region_key"] not in _REGIONS:
        raise refuse(9207, f"The region {body['region_key']} does not exist.")
    held[name] = body["region_key"]
    return {"hostname": name, "region_key": held[name], "routing": "dns"}
