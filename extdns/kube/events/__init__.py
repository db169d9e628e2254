"""Events on the objects of the cluster: what `kubectl describe` shows to those who look at one.

`notes` writes down what there is to say: problems, always; records that were made, changed or
deleted, where `--events-emit` asks for it. `body` makes an Event of a note, and `announcer` sends
Events on a thread of its own and bounds how many: nobody waits for it, it may lag, and it gives up
on what the API server does not take.
"""
