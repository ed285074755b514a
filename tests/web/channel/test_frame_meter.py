"""The counter of WebSocket frames against streams whose frames are known, cut anywhere."""

import random
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import pytest
from wsproto.frame_protocol import Opcode

from hoppers.web.channel.connections import FrameMeter


class Frame(NamedTuple):
    """A frame as a client sends it."""

    header: bytes
    payload: bytes
    message_bytes: int
    """Bytes of the message up to the end of this frame; for a control frame, of the message around it."""


def header(opcode: Opcode, length: int, is_last: bool, mask: bytes) -> bytes:
    """Return the header of a masked frame, its length in one, two or eight bytes."""
    if length < 126:
        size = bytes([0x80 | length])
    elif length < 1 << 16:
        size = bytes([0x80 | 126]) + length.to_bytes(2)
    else:
        size = bytes([0x80 | 127]) + length.to_bytes(8)
    return bytes([opcode | is_last << 7]) + size + mask


def frames(generator: random.Random) -> Iterator[Frame]:
    """Yield some messages, in one frame or several, with control frames between."""
    for _ in range(generator.randint(1, 5)):
        parts, sent = generator.randint(1, 4), 0
        for part in range(parts):
            opcode = generator.choice((Opcode.TEXT, Opcode.BINARY)) if part == 0 else Opcode.CONTINUATION
            length = generator.choice((0, 1, 125, 126, 300, 65_535, 65_536, 70_000))
            sent += length
            payload, mask = generator.randbytes(length), generator.randbytes(4)
            yield Frame(header(opcode, length, part == parts - 1, mask), payload, sent)
            if generator.random() < 0.3:
                opcode, payload = generator.choice((Opcode.PING, Opcode.PONG)), generator.randbytes(125)
                yield Frame(header(opcode, len(payload), True, mask), payload, sent)


@pytest.mark.parametrize("seed", range(20))
def test_frames_and_bytes_are_counted_however_they_are_cut(seed: int) -> None:
    generator = random.Random(seed)
    sent = list(frames(generator))
    starts = [0, *accumulate(len(frame.header) + len(frame.payload) for frame in sent)]
    begun_at = [start + len(frame.header) for start, frame in zip(starts, sent, strict=False)]
    data = b"".join(frame.header + frame.payload for frame in sent)
    meter, at, counted = FrameMeter(), 0, 0
    while at < len(data):
        length = generator.choice((1, 1, 2, 3, 7, 100, 4_096, 50_000))
        counted += meter.feed(data[at : at + length])
        at += length
        begun = sum(end <= at for end in begun_at)
        assert counted == begun
        assert meter.message_bytes == (sent[begun - 1].message_bytes if begun else 0)
    assert counted == len(sent)
