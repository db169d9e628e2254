"""The state machine around the planner: `step(input, now)` takes one input and returns effects.

This package holds what must be remembered between two events: the claim index, the cache and the
refresh of each zone, timers, the write queue, retries, and the delete guard. It also gathers this for
the planner (gather.py), builds batches, and describes the scope of a pass. `Observer`, which turns
changes of objects into observations, runs on another thread and shares nothing with the rest.

An input is one thing that happened outside (the claims of an object were computed, a page of a zone
was read, a batch ended, time passed). An effect is one request to the controller (read this page,
submit this batch, report these decisions); its result comes back as an input. So tests can produce
every fault and every order of events without a thread, a socket or a pause.

No I/O, no clock, no randomness, no log; no import of a source, a registry or a provider.
"""
