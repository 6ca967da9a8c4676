#!/usr/bin/env python3
"""Prints every access of a native trace, from traces/FORMAT.md alone: launch group step item kind object x y z bytes."""
import io, itertools, json, signal, struct, sys, zlib
try:
    import zstandard
except ImportError:
    sys.exit("read_trace.py: there is no module zstandard; install it (Debian: python3-zstandard)")

def signed(value, bits):
    return (value + 2 ** (bits - 1)) % 2 ** bits - 2 ** (bits - 1)

def column(stream, n):
    distance, planes = struct.unpack("<IB", stream.read(5))
    data, values = stream.read(planes * n), []
    for i in range(n):
        stored = int.from_bytes(data[i::n], "little")
        values.append((stored >> 1 ^ -(stored & 1)) + (values[i - distance] if 0 < distance <= i else 0))
    return [signed(value, 64) for value in values]

def accesses(stream):
    segments, steps, shapes, rows = struct.unpack("<4I", stream.read(16))
    columns = [column(stream, n) for n in [segments] * 2 + [steps] * 5 + [shapes] + [rows] * 6]
    groups, counts, number, shape, dx, dy, dz, sizes, item, target, x, y, z, size = columns
    ends = list(itertools.accumulate(sizes))
    for s, group in enumerate(group for group, count in zip(groups, counts) for _ in range(count)):
        for r in range(ends[shape[s]] - sizes[shape[s]], ends[shape[s]]):
            kind, place = target[r] >> 16, (x[r] + dx[s], y[r] + dy[s], z[r] + dz[s])
            place = [signed(p, 32) for p in place] if kind < 2 else [signed(place[0], 64), 0, 0]
            yield group, number[s], item[r], kind, target[r] % 65536, *place, size[r]

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it quietly
data, at = open(sys.argv[1], "rb").read(), 16
assert data[:12] == b"TXSTRACE\1\0\0\0" and data[-4:] == b"TXND", "this is no whole trace of version 1"
while at < struct.unpack("<Q", data[-16:-8])[0]:
    magic, kind, launch, stored, size, crc = struct.unpack_from("<4s5I", data, at)
    payload, at = data[at + 48:at + 48 + stored], at + 48 + stored
    assert magic == b"TXCK" and crc == zlib.crc32(payload), f"the chunk that ends at byte {at} is damaged"
    payload = zstandard.ZstdDecompressor().decompress(payload)
    if chr(kind) == "L":
        print("#", launch, json.loads(payload)["kernel"])
    for access in accesses(io.BytesIO(payload)) if chr(kind) in "RO" else []:
        print(launch, *access)
