"""Frozen dataclasses that write their fields at once."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from weightpath.frozen import quick_init


@quick_init
@dataclass(frozen=True)
class Example:
    first: int
    second: int = 2
    third: list = field(default_factory=list)

    def __post_init__(self):
        self.third.append(self.first)


def test_it_takes_what_a_dataclass_takes():
    assert Example(1) == Example(first=1, second=2, third=[])
    assert Example(1, 3, [7]).third == [7, 1]
    assert replace(Example(1), second=5) == Example(1, 5, [1])
    assert Example(1).third is not Example(1).third


def test_it_is_as_frozen_and_as_strict():
    with pytest.raises(FrozenInstanceError):
        Example(1).first = 2
    for wrong in ({}, {"first": 1, "fourth": 4}):
        with pytest.raises(TypeError, match="argument"):
            Example(**wrong)
