"""Which way a kernel's grid could be split further, read from its source; pure.

A kernel is executed once for all threads: what varies with a warp, a lane or a loop is an axis of
its index expressions, and every value knows which loads it comes from and along which axes it
combines them. A store whose place varies with an axis, and whose value is data of its own
coordinate alone, needs no reduction across blocks along it. What the analysis does not follow is
never guessed: the answer is then that it cannot tell, with reason and line.

``kernels`` is the entry; ``syntax`` reads with tree-sitter; ``places``, ``expressions``, ``calls``,
``statements`` and ``loops`` execute on a ``machine`` (``arrays`` says whose data a read finds);
``answers`` asks the three questions.
"""
