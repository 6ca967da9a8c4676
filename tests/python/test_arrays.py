"""Arrays show the numbers where they lie: no copies, and they keep alive what holds them."""

import gc

import numpy as np
import pytest

import texelscope as ts


def addresses(array):
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("make", [
    lambda: (heat := ts.Study("matmul", (64, 64, 64)).heat_map("A"), lambda: heat.counts),
    lambda: (accesses := ts.Study("matmul", (64, 64, 64)).trace.accesses(), lambda: accesses.x),
    lambda: (reuse := ts.Study("matmul", (64, 64, 64)).reuse(), lambda: reuse.counts("A")),
    lambda: (run := ts.Study("matmul", (64, 64, 64)).run(), lambda: run.output),
])
def test_an_array_is_a_view(make):
    owner, take = make()
    first, second = take(), take()
    assert addresses(first) == addresses(second)
    assert not first.flags.owndata and not first.flags.writeable
    with pytest.raises(ValueError):
        first[...] = 0
    before = first.copy()
    del owner, take, second, make
    gc.collect()
    filler = [np.full(first.nbytes, 255, dtype=np.uint8) for _ in range(50)]
    assert np.array_equal(first, before) and filler


def test_numpy_takes_a_heat_map():
    heat = ts.Study("matmul", (32, 32, 32)).heat_map("A", "reads")
    assert addresses(np.asarray(heat)) == addresses(heat.counts)
    assert np.asarray(heat, dtype=float).dtype == np.float64
    assert np.array(heat, copy=True).flags.writeable
    assert addresses(np.asarray(heat, dtype=np.int64)) == addresses(heat.counts)
    with pytest.raises(ValueError):
        heat.__array__(dtype=float, copy=False)
    assert heat.counts.shape == (32, 8)
