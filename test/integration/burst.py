#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sends one datagram over and over, as fast as the socket takes it.

usage: burst.py udp:PORT|uds:PATH COUNT SIZE    prints how many datagrams and lines were sent
       burst.py hold:PATH CONNECTIONS SIZE      opens stream connections that send so many bytes of
                                                a longer frame, prints "held", keeps them open until
                                                stdin ends

The datagram is SIZE bytes of the lines "bN:1|c", with 10 different N: decoding them takes many times
longer than sending them.
"""
import socket
import struct
import sys

SO_SNDBUFFORCE = 32  # socket.h


def payload_of(size):
    lines, used, n = [], 0, 0
    while True:
        line = b'b%d:1|c\n' % (n % 10)
        if used + len(line) > size:
            return b''.join(lines), n
        lines.append(line)
        used += len(line)
        n += 1


def send(target, count, size):
    kind, _, address = target.partition(':')
    if kind == 'udp':
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.connect(('127.0.0.1', int(address)))
    else:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sock.connect(address)
        try:  # else a sender has to wait when 208 KiB of it are not read yet
            sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 8 << 20)
        except PermissionError:
            pass
    payload, lines = payload_of(size)
    for _ in range(count):
        sock.send(payload)
    print(count, count * lines)


def hold(path, count, size):
    payload, _ = payload_of(size)
    kept = []
    for _ in range(count):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.connect(path)
        kept.append(sock)
        try:
            sock.sendall(struct.pack('<I', size + 1) + payload)
        except BrokenPipeError:
            pass
    print('held', flush=True)
    sys.stdin.read()


if __name__ == '__main__':
    what, number, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if what.startswith('hold:'):
        hold(what[5:], number, length)
    else:
        send(what, number, length)
