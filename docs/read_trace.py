#!/usr/bin/env python3
"""Prints every access of a native trace, from traces/FORMAT.md alone: launch group step item kind object x y z bytes.
Needs zstandard (Debian: python3-zstandard)."""
import json, struct, sys, zlib
import zstandard

def columns(data, at, counts):
    """Columns with these numbers of numbers, and where they end."""
    result = []
    for n in counts:
        distance, planes = struct.unpack_from("<IB", data, at)
        raw = [data[at + 5 + p * n:at + 5 + (p + 1) * n] for p in range(planes)]
        at += 5 + planes * n
        values = []
        for i in range(n):
            u = sum(raw[p][i] << 8 * p for p in range(planes))
            value = (u >> 1) ^ -(u & 1)
            if distance and i >= distance:
                value += values[i - distance]
            values.append((value + 2**63) % 2**64 - 2**63)
        result.append(values)
    return result, at

def texel(value):
    return (value + 2**31) % 2**32 - 2**31

def accesses(data):
    segments, steps, shapes, rows = struct.unpack_from("<4I", data)
    c, _ = columns(data, 16, [segments] * 2 + [steps] * 5 + [shapes] + [rows] * 6)
    begin = [sum(c[7][:i]) for i in range(shapes)]
    step = 0
    for group, count in zip(c[0], c[1]):
        for s in range(step, step + count):
            for r in range(begin[c[3][s]], begin[c[3][s]] + c[7][c[3][s]]):
                x, y, z = c[10][r] + c[4][s], c[11][r] + c[5][s], c[12][r] + c[6][s]
                kind = c[9][r] >> 16
                place = (texel(x), texel(y), texel(z)) if kind < 2 else ((x + 2**63) % 2**64 - 2**63, 0, 0)
                yield (group, c[2][s], c[8][r], kind, c[9][r] & 0xffff, *place, c[13][r])
        step += count

data = open(sys.argv[1], "rb").read()
magic, version, crc = struct.unpack_from("<8sII", data)
assert magic == b"TXSTRACE" and version == 1 and crc == zlib.crc32(data[:12]), "not a trace of version 1"
offset, crc, end = struct.unpack("<QI4s", data[-16:])
assert end == b"TXND" and crc == zlib.crc32(data[-16:-8]), "the trace is cut off"
at = 16
while at < offset:
    magic, kind, launch, stored, size, crc = struct.unpack_from("<4s5I", data, at)
    payload = data[at + 48:at + 48 + stored]
    assert magic == b"TXCK" and crc == zlib.crc32(payload), f"the chunk at byte {at} is damaged"
    payload = zstandard.ZstdDecompressor().decompress(payload)
    if chr(kind) == "L":
        print("#", launch, json.loads(payload)["kernel"])
    elif chr(kind) in "RO":
        for access in accesses(payload):
            print(launch, *access)
    at += 48 + stored
