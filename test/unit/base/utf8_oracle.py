#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes utf8_cases.h: what CPython's decoder makes of each case (bytes.decode('utf-8', 'replace')).

utf8_oracle.py > utf8_cases.h
"""
import random

BYTES = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
         0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFC, 0xFE, 0xFF]
LEADS = [b for b in BYTES if b >= 0xC0]
TRAILS = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2]

NAMED = [
    b"", b"plain", b"na\xc3\xafve", "♫é".encode(), "日本語".encode(), "😀".encode(),
    b"tag2:\xc3\x28", b"uid:\xff\xfe", b"-\xe2\x88\x9e", b"\xe2\x88", b"\xf0\x9f\x98",
    b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xee\x80\x80", b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80",
    b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xef\xbb\xbfbom", b"\xef\xbf\xbe",
    b"abcdefg\xffabcdefgh", b"abcdefghabcdefg\xe2\x82", b"abcdefgh\xe2\x82\xacabcdefgh\xe2\x82",
    b"\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64",  # Unicode section 3.9, table 3-8
]


def cases():
    yield from NAMED
    for byte in BYTES:
        yield bytes([byte])
    for lead in LEADS:
        for trail in TRAILS:
            yield bytes([lead, trail, 0x80, 0xBF, 0x41])
    rng = random.Random(1)
    for _ in range(150):
        yield bytes(rng.choice(BYTES) for _ in range(rng.randrange(1, 24)))


def literal(data):
    return '"' + "".join(f"\\x{b:02x}" for b in data) + '"'


print("/* SPDX-License-Identifier: BSD-3-Clause */")
print("/* Made by utf8_oracle.py: input and what CPython makes of it. */")
print("/* clang-format off */")
seen = set()
for case in cases():
    if case in seen:
        continue
    seen.add(case)
    print(f"{{SPAN({literal(case)}),\n SPAN({literal(case.decode('utf-8', 'replace').encode())})}},")
