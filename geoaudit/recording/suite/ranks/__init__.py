"""A manifest's step on several ranks: a process on each of as many devices, recorded together.

`recorded` runs the launcher under the recorder that records any command; the `launcher` starts the
ranks and ends the others where one fails; a `rank` launches the tokens, and its `communicator`
sums over the group.
"""
