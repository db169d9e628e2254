"""Which regional and custom hostnames Cloudflare's API accepts (API reference)."""

from __future__ import annotations

from typing import Final

from tests.fakes.cloudflare.values import Json, refuse

_SSL: Final = {"type": "dv", "method": "http", "bundle_method": "ubiquitous"}
_TLS_VERSIONS: Final = frozenset({"1.0", "1.1", "1.2", "1.3"})
_AUTHORITIES: Final = frozenset({"google", "ssl_com", "lets_encrypt"})
_REGIONS: Final = frozenset({"eu", "us", "ca"})


def answer_regions(
    held: dict[str, str], method: str, hostname: str, body: Json, zone_name: str, plan: str
) -> list[Json] | Json:
    """Return the result of a call about the regional hostnames *held*, each with its region, which it may change."""
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


def change_customs(held: dict[str, Json], method: str, one_id: str, body: Json, plan: str) -> Json:
    """Return the result of a change of the custom hostnames *held*, by id."""
    if method == "DELETE":
        if one_id not in held:
            raise refuse(1436, "The custom hostname was not found.", status=404)
        return {"id": held.pop(one_id)["id"]}
    if method != "POST":
        raise refuse(7001, f"Method not available: {method}", status=405)
    if body.keys() != {"hostname", "custom_origin_server", "ssl"}:
        raise refuse(1400, f"Request body is invalid: {sorted(body)}.")
    ssl = dict(body["ssl"])
    authority, settings = ssl.pop("certificate_authority", None), ssl.pop("settings", {})
    if ssl != _SSL or settings.get("min_tls_version") not in _TLS_VERSIONS:
        raise refuse(1400, f"The ssl settings are invalid: {body['ssl']}.")
    if authority is not None and (authority not in _AUTHORITIES or plan != "enterprise"):
        raise refuse(10000, "The certificate authority cannot be chosen with this plan.", status=403)
    if "." not in body["hostname"]:
        raise refuse(1407, "Invalid custom hostname.")
    if any(one["hostname"] == body["hostname"] for one in held.values()):
        raise refuse(1406, "Duplicate custom hostname found.", status=409)
    held[one_id] = {"id": one_id, "status": "pending", **body}
    return held[one_id]
