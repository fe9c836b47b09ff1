#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sends what is given, byte for byte.

usage: send.py udp PORT PAYLOAD...
       send.py dgram PATH PAYLOAD...
       send.py stream PATH PAYLOAD...   one connection, each payload behind its length
       send.py bytes PATH PAYLOAD...    one stream connection, payloads as they are
A payload may hold the escapes of a Python string: "a:1|c\\n", "\\xff". "N*" in front of it repeats
it: "3*a:1|c\\n".
"""
import re
import socket
import struct
import sys


def payload(text):
    repeated = re.match(r'(\d+)\*', text)
    n = int(repeated[1]) if repeated else 1
    text = text[repeated.end():] if repeated else text
    return text.encode('latin-1').decode('unicode_escape').encode('latin-1') * n


def main():
    kind, to = sys.argv[1:3]
    payloads = [payload(text) for text in sys.argv[3:]]
    if kind == 'udp':
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sender.connect(('127.0.0.1', int(to)))
    else:
        sender = socket.socket(socket.AF_UNIX,
                               socket.SOCK_DGRAM if kind == 'dgram' else socket.SOCK_STREAM)
        sender.connect(to)
    for data in payloads:
        if kind == 'stream':
            data = struct.pack('<I', len(data)) + data
        sender.sendall(data)


main()
