"""Services: what each type of them publishes (spec sources 3).

`source` walks the hosts of a Service and hands each to an *expansion*: a function from one host to
names and what they point at, chosen once per Service by its type. `expansion` has those
that only look at the Service, `nodeport` and `headless` those that look further.

Here belongs what is particular to core/v1 Services. Here does not belong what Ingresses need as
well: annotations, selection, targets and claims are modules of `extdns.sources`.

Only an expansion asks the view, and only when its Service needs the answer: nodes, pods and
EndpointSlices are not listed for load balancers' sake.
"""
