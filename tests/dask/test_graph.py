"""What only one task needs becomes part of it; what others need, too, does not."""

import dask
from dask.utils import ensure_dict

from okpca.dask.graph import fused


@dask.delayed
def add(*numbers):
    return sum(numbers)


def test_a_chain_and_a_diamond_are_joined_and_what_is_shared_is_not():
    shared = add(1, 2, dask_key_name="shared")
    own = add(shared, 4, dask_key_name="own")
    left, right = add(own, 1, dask_key_name="left"), add(own, 2, dask_key_name="right")
    tasks = [add(left, right, dask_key_name="a"), add(shared, 5, dask_key_name="b")]
    joined = fused(tasks)
    assert set(ensure_dict(joined[0].__dask_graph__())) == {"shared", "a", "b"}
    assert dask.compute(*joined, scheduler="synchronous") == dask.compute(
        *tasks, scheduler="synchronous"
    )


def test_one_that_others_of_them_need_stays():
    first = add(1, 1, dask_key_name="first")
    joined = fused([first, add(first, 1, dask_key_name="second")])
    assert set(ensure_dict(joined[0].__dask_graph__())) == {"first", "second"}
    assert dask.compute(*joined, scheduler="synchronous") == (2, 3)
