#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fragments of IP datagrams.

usage: fragment.py cut IN OUT    cuts each datagram of a capture that penstock-load wrote into
                                 fragments, as IPv4 or IPv6, with and without VLAN tags; mixes those
                                 of neighbours; prints {"frames": N, "fragmented": N}
       fragment.py flood INTERFACE MAC PORT N
                                 sends N first fragments of datagrams that never get complete
"""
import ipaddress
import json
import random
import socket
import struct
import sys
import time

from faults import frame, sum16, write_capture

SOURCE6 = ipaddress.ip_address('2001:db8::1').packed
DESTINATION6 = ipaddress.ip_address('2001:db8::2').packed


def read_capture(path):
    with open(path, 'rb') as file:
        order = '<' if file.read(24)[:4] in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1') else '>'
        while header := file.read(16):
            yield file.read(struct.unpack(order + 'IIII', header)[2])


def cut(body, size):
    """(offset, more, bytes) of each fragment; a size is a multiple of 8."""
    for offset in range(0, len(body), size):
        yield offset, offset + size < len(body), body[offset:offset + size]


def ipv4(header, body, id, size):
    for offset, more, part in cut(body, size):
        place = (0x2000 if more else 0) | offset // 8
        bare = header[:2] + struct.pack('!HHH', 20 + len(part), id, place) + header[8:10]
        yield bare + struct.pack('!H', sum16(bare + header[12:])) + header[12:] + part


def ipv6(body, id, size):
    """The same datagram over IPv6, its UDP checksum made anew; destination options (RFC 8200
    section 4.6) before and behind the fragment header."""
    pseudo = SOURCE6 + DESTINATION6 + struct.pack('!II', len(body), 17)
    body = body[:6] + bytes(2) + body[8:]
    body = body[:6] + struct.pack('!H', sum16(pseudo + body) or 0xffff) + body[8:]
    options = bytes([44, 0, 1, 4, 0, 0, 0, 0])
    body = bytes([17, 0, 1, 4, 0, 0, 0, 0]) + body
    for offset, more, part in cut(body, size):
        extension = options + struct.pack('!BBHI', 60, 0, offset | more, id)
        yield (struct.pack('!IHBB', 0x60000000, len(extension) + len(part), 60, 64) + SOURCE6 +
               DESTINATION6 + extension + part)


def cut_capture(path_in, path_out):
    dice = random.Random(1)
    tags = [b'', bytes.fromhex('81000007'), bytes.fromhex('88a8000781000008')]
    window, frames, n_datagrams, n_fragmented = [], [], 0, 0
    for id, data in enumerate(read_capture(path_in)):
        ip = data[14:]
        size = dice.choice([256, 552, 1448, 1480, 4000])
        packets = (ipv4(ip[:20], ip[20:], id & 0xffff, size) if dice.random() < 0.5
                   else ipv6(ip[20:], id, size))
        kind = data[:12] + dice.choice(tags)
        packets = [kind + (b'\x08\x00' if packet[0] == 0x45 else b'\x86\xdd') + packet
                   for packet in packets]
        n_datagrams += 1
        n_fragmented += len(packets) - 1
        window += packets
        if n_datagrams % 8 == 0:
            dice.shuffle(window)
            frames += window
            window = []
    frames += window
    write_capture(path_out, frames)
    print(json.dumps({'frames': len(frames), 'fragmented': n_fragmented}))


def flood(interface, mac, port, n):
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind((interface, 0))
    payload = b'f.flood:1|c\n' * 118  # 1416 bytes and UDP's header: a multiple of 8
    for i in range(int(n)):
        data = frame(int(port), payload, id=i & 0xffff, fragment=0x2000,
                     source=f'10.77.{1 + (i >> 16)}.1', to='10.77.0.9')
        wire.send(bytes.fromhex(mac) + data[6:])
        if i % 100 == 99:
            time.sleep(0.01)


if __name__ == '__main__':
    {'cut': cut_capture, 'flood': flood}[sys.argv[1]](*sys.argv[2:])
