# Pallas: grid= of pallas_call and of a grid specification.
# options: --dim n_head=96:tp
import jax
from jax.experimental import pallas as pl


def body(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x, n_head, rows):
    call = pl.pallas_call(body, grid=(n_head, 2), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))  # expect: collapses grid=(n_head, 2) kernel=body idiom=pallas
    grid_spec = pl.GridSpec(grid=(n_head, 3), in_specs=[])
    other = pl.pallas_call(body, grid_spec=grid_spec, out_shape=x)  # expect: collapses grid=(n_head, 3) kernel=body idiom=pallas
    return call(x), other(x), pl.pallas_call(body, grid=n_head, out_shape=x)(x)  # expect: collapses grid=(n_head) idiom=pallas
