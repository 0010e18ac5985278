# Comprehensions, zip, enumerate, map and sum of a generator: followed where how many there are is
# known, else unknown of what they depend on.
import math

import triton


@triton.jit
def step(y): ...


def list_of_known(y, n_head, batch):
    grid = [size * 2 for size in (n_head, batch)]
    step[tuple(grid)](y)  # expect: grid=(n_head * 2, batch * 2)


def generator(y, n_head, batch):
    step[(sum(a * b for a, b in zip((n_head, batch), (2, 3))),)](y)  # expect: grid=(n_head * 2 + batch * 3)


def numbered(y, n_head, batch):
    grid = tuple(size if place else size * 4 for place, size in enumerate((n_head, batch)))
    step[grid](y)  # expect: grid=(n_head * 4, batch)


def mapped(y, n_head, batch):
    def tiles(rows):
        return triton.cdiv(rows, 64)

    step[tuple(map(tiles, (n_head, batch)))](y)  # expect: grid=(cdiv(n_head, 64), cdiv(batch, 64))


def extents(q, y):
    step[(math.prod(q.shape[place] for place in range(2)),)](y)  # expect: grid=(q.shape[0] * q.shape[1])


def filtered(y, n_head):
    sizes = {"rows": n_head, "columns": 2}
    step[tuple(size for name, size in sizes.items() if name)](y)  # expect: grid=(n_head, 2)


def how_many_is_not_known(y, lengths, n_head):
    tiles = sum(triton.cdiv(length, n_head) for length in lengths)
    step[(tiles,)](y)  # expect: unknown symbols.x=n_head,lengths
