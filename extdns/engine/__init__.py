"""The state machine between the world and the planner: `step(input, now)` gives effects.

Here belong what must be remembered between two events, and nothing else: the claim index, the
mirror of each zone, the audit, timers, the write queue, outcomes, quarantine and budget.

Inputs are facts (an object's claims, a page of a zone, the outcome of a batch, time that passed);
effects are wishes (read this page, submit this batch, tell these decisions). The controller carries
them out and reports back. So tests drive every fault and every order of events without a thread,
a socket or a pause.

No I/O, no clock, no randomness, no log; no knowledge of a source, a registry or a provider.
"""
