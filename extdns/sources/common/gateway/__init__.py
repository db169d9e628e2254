"""What the sources for Routes of the Gateway API share (docs/spec/sources.md 5).

`routes.py` collects the hostnames of a Route, and `parents.py` finds the listeners of its parents. If a
listener accepts the Route and its hostname matches (`admission.py`), the addresses of the parent are
published under the more specific of both hostnames.

Gateways, ListenerSets and Namespaces are looked up by name, so a change of one affects only the Routes
that refer to it.
"""
