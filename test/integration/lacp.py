#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The other end of a link aggregation, as IEEE 802.1AX-2014 section 6.4 describes it.

usage: lacp.py INTERFACE... -- SECONDS

Answers LACPDUs on each interface until all of them have been collecting and distributing on both
ends for SECONDS, and ends with 0; with 1 when that took more than 30 s, or when a partner fell
silent or back for more than 3 s (short timeout: a LACPDU each second).
"""
import select
import socket
import struct
import sys
import time

GROUP = bytes.fromhex('0180c2000002')
SYSTEM = bytes.fromhex('020000000001')
SLOW_PROTOCOLS, LACP = 0x8809, 1
ACTIVITY, TIMEOUT, AGGREGATION, SYNC, COLLECTING, DISTRIBUTING = (1 << bit for bit in range(6))
WORKS = SYNC | COLLECTING | DISTRIBUTING
INFORMATION = struct.Struct('!H6sHHHB')  # system priority, system, key, port priority, port, state


class Port:
    def __init__(self, interface, number):
        self.number = number
        self.partner = (0, bytes(6), 0, 0, 0, 0)
        self.heard = self.sent = 0.0
        self.fault = None
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(SLOW_PROTOCOLS))
        self.socket.bind((interface, SLOW_PROTOCOLS))

    def works(self):
        return self.partner[-1] & WORKS == WORKS and time.monotonic() < self.heard + 3

    def state(self):
        """We follow the partner: once it is in sync, we collect and distribute."""
        state = ACTIVITY | TIMEOUT | AGGREGATION | SYNC
        return state | COLLECTING | DISTRIBUTING if self.partner[-1] & SYNC else state

    def hear(self):
        frame, address = self.socket.recvfrom(2048)
        if address[2] == socket.PACKET_OUTGOING or len(frame) < 124 or frame[14] != LACP:
            return
        assert frame[:6] == GROUP and frame[15] == 1, 'not a LACPDU of version 1'
        assert frame[16:18] == b'\x01\x14', 'no actor information'
        self.partner = INFORMATION.unpack_from(frame, 18)
        self.heard = time.monotonic()

    def speak(self):
        actor = INFORMATION.pack(1, SYSTEM, 7, 1, self.number, self.state())
        partner = INFORMATION.pack(*self.partner)
        self.socket.send(GROUP + SYSTEM + struct.pack('!HBB', SLOW_PROTOCOLS, LACP, 1)
                         + b'\x01\x14' + actor + bytes(3) + b'\x02\x14' + partner + bytes(3)
                         + b'\x03\x10' + bytes(14) + bytes(2 + 50))
        self.sent = time.monotonic()


def main():
    at = sys.argv.index('--')
    ports = [Port(name, i + 1) for i, name in enumerate(sys.argv[1:at])]
    seconds, began, since = float(sys.argv[at + 1]), time.monotonic(), None
    while True:
        now = time.monotonic()
        for port in ports:
            if now > port.sent + 0.5:
                port.speak()
        for readable in select.select([port.socket for port in ports], [], [], 0.1)[0]:
            next(port for port in ports if port.socket is readable).hear()
        if all(port.works() for port in ports):
            since = since or now
            if now > since + seconds:
                return 0
        elif since is not None or now > began + 30:
            print('states:', [f'{port.partner[-1]:#04x}' for port in ports],
                  'silent for:', [f'{now - port.heard:.1f} s' for port in ports])
            return 1


sys.exit(main())
