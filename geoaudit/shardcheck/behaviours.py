"""What a grid does as the number of ranks grows."""

from typing import Literal, get_args

Behaviour = Literal[
    "collapses",  # fills half of the SMs at one rank and less at another: GA401
    "small",  # shrinks, and does not fill half of the SMs at one rank either: GA402
    "shrinks",  # shrinks, and still fills half of the SMs
    "compensated",  # a sharded extent shrinks and another refills the grid
    "capped_by_constant",  # a constant binds at some number of ranks: GA404
    "independent",  # nothing sharded is in it
    "constant",  # a number
    "launcher",  # its calls are sites of their own
    "unknown",  # cannot tell, with the reason
]
BEHAVIOURS: tuple[Behaviour, ...] = get_args(Behaviour)
