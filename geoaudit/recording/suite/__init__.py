"""The suite runner: the launches of a manifest's step on the device, token by token, recorded.

``presence`` says whether this machine can; ``engine.Engine`` holds code, memory and stream, and
prepares plans; ``suite_run.record_plan`` runs one under a session. CuPy is imported where an
engine is made, and nowhere else.
"""
