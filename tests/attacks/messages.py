"""What a client of the channel sends: Socket.IO messages, Engine.IO packets, and frames of WebSockets."""

import json
import struct
from random import Random
from typing import Any, NamedTuple

from tests.attacks.texts import NASTY, QUICK, junk, position
from tests.support.asyncio_client import CLOSE, MASK, PING, PONG, TEXT, frame
from tests.support.engine import PUZZLES

NAMES = ("search",) * 10 + ("stop", "pause", "resume") * 3 + ("start", "message", "", "SEARCH", "é")
RESERVED = ("connect", "disconnect", "connect_error")
"""Event names reserved by Socket.IO."""
PACKETS = (
    "", "0", "1", "2", "2probe", "3", "3probe", "5", "6", "7", "9", "40", "40{}", "40[1]", "40{",
    "40/admin,", '40{"player":"0123456789abcdef"}', '40{"player":7}', "41", "41/admin,", "42", "42[]",
    "42[1]", '42["stop"', '42/admin,["stop",{}]', "42999999999999999999[]", "43", "43[]", "431[]",
    "43-1[]", "44", "44{}", "45", "46", '451-["stop",{"_placeholder":true,"num":0}]', '459999-["stop"]',
    '451-["stop",{"_placeholder":true,"num":9}]', '45-["stop"]', "4", "4x", "bAAAA", "b\xff", "4\x00",
    "42[NaN]", "42" + "[" * 5_000, "40" + "/" * 300, "x" * 17_000,
    '427["rejoin",{"ticket":"a","limit":3}]', '427["rejoin",{"ticket":"a","limit":-1e99}]',
)  # fmt: skip
"""Engine.IO packets, of all kinds and of none."""
LENGTHS = (0, 1, 125, 126, 127, 65_535, 65_536, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)


class Message(NamedTuple):
    """A Socket.IO message, valid or not."""

    name: str
    payload: tuple[Any, ...]

    def ticket(self) -> str | None:
        """Return the ticket if the message may be a valid search, else None."""
        wanted = self.payload[0] if self.name == "search" and len(self.payload) == 1 else None
        ticket = wanted.get("ticket") if isinstance(wanted, dict) else None
        return ticket if isinstance(ticket, str) else None

    def packet(self, number: int) -> str:
        """Return the Engine.IO packet of the message, with the number of its acknowledgement."""
        return f"42{number}{json.dumps([self.name, *self.payload])}"


def message(dice: Random) -> Message:
    """Return a random message: a search, a command for a search, or nonsense."""
    name, ticket = dice.choice(NAMES), dice.choice("abcd")
    id = dice.choice(QUICK)
    if name != "search":
        wanted: dict[str, Any] = {"ticket": ticket}
    else:
        wanted = {"ticket": ticket, "puzzle": id, "position": position(dice, id)}
        more = {
            "goal": dice.choice([*PUZZLES[id].rules.goals]),
            "method": dice.choice([*PUZZLES[id].solving.methods]),
            "find": dice.choice(["first", "all"]),
            "first_move": [dice.randrange(10), dice.randrange(10)],
            "race": dice.choice("rs"),
            "fresh": dice.random() < 0.5,
        }
        wanted |= {key: more[key] for key in more if dice.random() < 0.3}
    if dice.random() < 0.15:
        wanted[dice.choice([*wanted, "colour"])] = junk(dice)
    if dice.random() < 0.05:
        return Message(name, tuple(junk(dice) for _ in range(dice.randrange(4))))
    return Message(name, (wanted,))


def packet(dice: Random) -> str:
    """Return an Engine.IO packet: a message, cut off or not, or another one."""
    if dice.random() < 0.4:
        return dice.choice(PACKETS)
    text = message(dice).packet(dice.choice([0, 1, 7, 10**30]))
    if dice.random() < 0.3:
        place = dice.randrange(len(text))
        return text[:place] + dice.choice(["", *NASTY]) + text[place + dice.randrange(3) :]
    return text


def odd_frame(dice: Random) -> bytes:
    """Return bytes after the handshake of a WebSocket: a frame with a packet, or an odd one."""
    payload = packet(dice).encode("utf-8", "surrogatepass")
    kinds = [
        frame(TEXT, payload),
        frame(TEXT, payload),
        frame(TEXT, payload),
        frame(2, payload),  # binary
        frame(dice.choice([PING, PONG]), payload[:125]),
        frame(CLOSE, dice.choice([b"", b"\x03", b"\x03\xe8", b"\xff\xff\xff", b"\x03\xe8" + b"\xff" * 9])),
        frame(TEXT, b"4" + dice.randbytes(9)),  # no UTF-8
        frame(dice.randrange(16), payload),  # perhaps an opcode that is not defined
        bytes([dice.randrange(256)]) + frame(TEXT, payload)[1:],  # any reserved bits
        frame(TEXT, payload)[: dice.randrange(1, 9)],  # cut off
        bytes([0x81, len(payload) % 126]) + payload,  # without a mask
        bytes([0x01, 0x80]) + MASK + bytes([0x80, 0x80 | len(payload) % 126]) + MASK + payload,  # in parts
        bytes([0x81, 0xFF]) + struct.pack(">Q", dice.choice(LENGTHS)) + MASK + payload,  # a wrong length
        dice.randbytes(40),
    ]
    return dice.choice(kinds)


def poll_body(dice: Random) -> bytes:
    """Return the body of a POST of long polling: one packet or several, or nonsense."""
    packets = [packet(dice).encode("utf-8", "surrogatepass") for _ in range(dice.choice([1, 1, 2, 5]))]
    return dice.choice([b"\x1e".join(packets)] * 5 + [dice.randbytes(30), b"\x1e" * 50, b"d=" + packets[0]])
