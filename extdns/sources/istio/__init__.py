"""Gateways and VirtualServices of Istio (spec sources 7.1, 7.2).

`gateway` and `virtualservice` are the two sources; both publish the addresses of Gateways, which
`addresses` looks up: an annotation, an Ingress, or the Services that run the Gateway's proxies.
`hosts` reads host names as both kinds write them, `binding` tells which VirtualService a Gateway serves.

Here belongs what is particular to Istio. Here does not belong the Gateway API, which shares no more
than a word with it.
"""
