"""Moves and lines as values: tuples that look like lists, and equal them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Self, SupportsIndex, TypeVar, overload

from hoppers.core.events import Event, Found, Solved

Item = TypeVar("Item", covariant=True)


class Values(tuple[Item, ...]):
    """Items in an order that never changes. It can be hashed, and is equal to a list of equal items."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    @overload
    def __getitem__(self, index: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Item | Self:
        if isinstance(index, slice):
            return type(self)(tuple.__getitem__(self, index))
        return tuple.__getitem__(self, index)

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


class Move(Values[int]):
    """The holes that a move visits. Its text is that of addresses and data, such as 2-0-6."""

    __slots__ = ()

    def __str__(self) -> str:
        return "-".join(map(str, self))


class Moves(Values[Move]):
    """Several moves: those of a line of play, or all legal ones. They are equal to a list of equal moves."""

    __slots__ = ()


def line_text(moves: Iterable[Move]) -> str:
    """Return the text of a line of play, as in addresses and data: `2-0-6.9-3`."""
    return ".".join(map(str, moves))


def moves_of(lists: Iterable[Iterable[int]]) -> Moves:
    """Return moves, given as lists of holes, as a value."""
    return Moves(map(Move, lists))


def with_values(event: Event) -> Event:
    """Return an event whose moves are a value, so that it can be hashed."""
    return replace(event, moves=moves_of(event.moves)) if isinstance(event, Found | Solved) else event
