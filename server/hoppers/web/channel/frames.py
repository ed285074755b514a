"""Count WebSocket frames and message sizes in a stream of bytes (RFC 6455, section 5.2).

The library checks the size of a message only when the whole message has arrived, and limits no rate.
"""

FIN, OPCODE, CONTROL = 0x80, 0x0F, 0x08
MASKED, LENGTH = 0x80, 0x7F
LONG_LENGTHS = {126: 2, 127: 8}
"""Length code of a frame -> number of additional bytes that contain the length."""
MASK_BYTES = 4


class FrameMeter:
    """Counter of the frames that arrive over one connection. Payloads are not stored."""

    def __init__(self) -> None:
        self.message_bytes = 0
        """Announced size of the message under way, over all its frames so far."""
        self._header = bytearray()
        self._payload = 0  # bytes of the current frame still to come

    def feed(self, data: bytes) -> int:
        """Count the next bytes of the stream; return the number of frame headers that end in `data`."""
        frames, at = 0, 0
        while at < len(data):
            skipped = min(self._payload, len(data) - at)
            self._payload -= skipped
            at += skipped
            if at < len(data):
                self._header.append(data[at])
                at += 1
                frames += self._begin_frame()
        return frames

    def _begin_frame(self) -> bool:
        """Return whether the frame header is complete; if so, begin to count its payload."""
        if len(self._header) < 2:
            return False
        code = self._header[1] & LENGTH
        length_bytes = LONG_LENGTHS.get(code, 0)
        if len(self._header) < 2 + length_bytes + MASK_BYTES * bool(self._header[1] & MASKED):
            return False
        long_length = int.from_bytes(self._header[2 : 2 + length_bytes])
        self._payload = long_length if length_bytes else code
        self._count_message(self._header[0])
        self._header.clear()
        return True

    def _count_message(self, first: int) -> None:
        if first & OPCODE & CONTROL:
            return
        if first & OPCODE:  # not a continuation: a new message
            self.message_bytes = 0
        self.message_bytes += self._payload
