"""Values that follow each other."""

from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from okpca._core.fast_replace import following


@dataclass(frozen=True)
class Value:
    one: int
    two: tuple[int, ...] = ()


def test_what_follows_is_what_replace_makes_and_the_old_one_stays():
    value = Value(1, (2,))
    after = following(value, two=(3,))
    assert after == replace(value, two=(3,)) == Value(1, (3,))
    assert type(after) is Value
    assert value == Value(1, (2,))
    with pytest.raises(FrozenInstanceError):
        after.one = 2
