"""Proxies of Gloo (spec sources 7.8).

A Proxy is what Gloo makes of its Gateways and VirtualServices. `proxies` is the source: it publishes the
domains of virtual hosts, on the terms that annotations of their VirtualServices say. `addresses` looks up
what they point at: an annotation, Ingresses that annotations of Gateways name, or the Service of the Proxy.

Here belongs what is particular to Gloo Edge. Here does not belong the Gateway API, which its successor reads.
"""
