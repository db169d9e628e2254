"""Routes of the Gateway API: names that the listeners of their parents admit (spec sources 5).

`source` asks `names` which names a Route has and `parents` to what it is attached; where a name meets
the host name of a listener (`hostnames`) that admits the Route (`admission`), the parent's addresses
are published under what both have in common.

Here belongs what is particular to Routes, Gateways and ListenerSets, for all five kinds of Routes.
Here does not belong what other sources need as well: annotations, selection, targets and claims are
modules of `extdns.sources`.

Gateways, ListenerSets and Namespaces are asked of the view by their names, so that a change of one
concerns only the Routes that name it.
"""
