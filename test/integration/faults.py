#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A little traffic that ends in as many ways as can be brought about from outside.

usage: faults.py frames PORT PCAP                a pcap file for a port with address 198.18.0.2/24
       faults.py fragments PORT PCAP         only its fragments
       faults.py send PORT DGRAM STREAM PID      to the sockets; PID reads them
       faults.py counters STATS.DEF LEDGER       the ledger's counters that are not 0, one a line
       faults.py untouched STATS.DEF COUNTER...  those of the ledger that are not named
"""
import json
import os
import re
import signal
import socket
import struct
import sys
import time

LINES = [
    b'f.count:1:2|c', b'f.gauge:1|g', b'f.set:a|s', b'f.dist:1|d', b'f.time:3|ms',
    b'f.stamped:1|g|T1700000000', b'_e{1,1}:a|b', b'_sc|f.check|0',
    b'no pipe here', b'no_colon|c', b':1|c', b'f.empty:|c', b'f.value:x|c', b'f.type:1|k',
    b'f.rate:1|c|@2', b'f.stamp:1|g|T0', b'_e{9,9}:a|b', b'_sc|f|9', b'f.nan:nan|g',
    b'f.both:1:nan|g', b'f.unsupported:1|h|T1700000000', b'f.weight:1|d|@0.000000001',
]


def sum16(data):
    data += b'\0' * (len(data) % 2)
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def frame(port, payload=b'f.frame:1|c', source='198.18.0.1', to='198.18.0.2', protocol=17,
          fragment=0, id=1, version=0x45, udp_size=None, break_ip=0, break_udp=0, ether=0x0800):
    """An Ethernet frame; every argument but the first can make it a bad one."""
    source, to = socket.inet_aton(source), socket.inet_aton(to)
    size = 8 + len(payload) if udp_size is None else udp_size
    udp = struct.pack('!HHHH', 40000, port, size, 0) + payload
    check = sum16(source + to + struct.pack('!BBH', 0, 17, 8 + len(payload)) + udp)
    udp = udp[:6] + struct.pack('!H', (check ^ break_udp) or 0xffff) + udp[8:]
    header = struct.pack('!BBHHHBBH4s4s', version, 0, 20 + len(udp), id, fragment, 64, protocol, 0,
                         source, to)
    check = sum16(header) ^ break_ip
    header = header[:10] + struct.pack('!H', check) + header[12:]
    macs = bytes.fromhex('020000000002020000000001')
    return macs + struct.pack('!H', ether) + header + udp


def fragments(port):
    """Datagrams in fragments, most of which come to nothing. A payload of 8 makes 16 bytes."""
    def cut(id, offset, more, size=8):
        return frame(port, b'f.part:1'[:size], id=id, fragment=(0x2000 if more else 0) + offset // 8)

    yield cut(1, 0, True, 7)  # 15 bytes and more to come
    yield frame(port, b'f.piece:', id=2, fragment=0x2000, break_udp=0x0101)
    yield cut(2, 16, False)  # complete, but the checksum covers other bytes
    yield cut(3, 0, True)
    yield cut(3, 0, True)
    yield cut(3, 8, True)  # overlaps
    for i in range(129):
        yield frame(port, b'', id=4, fragment=0x2000 + i)
    for i in range(65):  # more than can wait; the last of them until their time is over
        yield cut(100 + i, 0, True)


def frame6(port):
    """IPv6 whose only extension header (hop by hop, RFC 8200 4.3) ends behind the packet."""
    rest = bytes([17, 200]) + bytes(6) + struct.pack('!HHHH', 40000, port, 8, 0)
    addresses = socket.inet_pton(socket.AF_INET6, '2001:db8::1') * 2
    header = struct.pack('!IHBB', 0x60000000, len(rest), 0, 64) + addresses
    macs = bytes.fromhex('020000000002020000000001')
    return macs + struct.pack('!H', 0x86dd) + header + rest


def write_capture(path, frames):
    with open(path, 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))
        for data in frames:
            file.write(struct.pack('<IIII', 1700000000, 0, len(data), len(data)) + data)


def arp(sender, target, operation=1, protocol_size=4):
    """RFC 826, to everybody."""
    macs = b'\xff' * 6 + bytes.fromhex('020000000001')
    return macs + struct.pack('!HHHBBH6s4s6s4s', 0x0806, 1, 0x0800, 6, protocol_size, operation,
                              macs[6:], socket.inet_aton(sender), bytes(6),
                              socket.inet_aton(target))


def broken_ping(port):
    """An echo request to net_pcap's MAC, whose ICMP checksum is wrong."""
    data = frame(port, protocol=1, payload=b'x')
    return bytes.fromhex('027063617000') + data[6:34] + bytes([8, 0, 0, 0]) + data[38:]


def write_frames(port, path):
    port = int(port)
    write_capture(path, [
        frame(port),
        frame(port)[:20],
        frame(port, ether=0x88cc),
        frame(port, version=0x43),
        frame(port, break_ip=0x0101),
        *fragments(port),
        frame(port, protocol=6),
        frame(port, udp_size=4000),
        frame(port, break_udp=0x0101),
        frame(port, to='198.18.0.77'),
        frame(port ^ 1),
        frame(port, source='192.0.2.1'),
        frame(port) + bytes(66000),  # longer than any packet
        frame6(port),
        arp('198.18.0.1', '198.18.0.3'),
        arp('198.18.0.1', '198.18.0.2'),  # while it is being asked for
        arp('198.18.0.2', '198.18.0.2'),
        arp('198.18.0.1', '198.18.0.2', protocol_size=16),
        broken_ping(port),
    ])


def write_fragments(port, path):
    write_capture(path, fragments(int(port)))


def overflow(udp, pid):
    """The reader stands still until the kernel has no room left for it."""
    os.kill(pid, signal.SIGSTOP)
    deadline = time.monotonic() + 5
    while f'State:\tT' not in open(f'/proc/{pid}/status').read():
        assert time.monotonic() < deadline, 'it does not stop'
        time.sleep(0.001)
    for _ in range(200):
        udp.send(b'f.count:1|c\n' * 40)
    os.kill(pid, signal.SIGCONT)


def send(port, dgram_path, stream_path, pid):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.connect(('127.0.0.1', int(port)))
    udp.send(b'f.udp:1|c\nf.unterminated:1|c')
    dgram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    dgram.connect(dgram_path)
    for line in LINES:
        dgram.send(line)
    dgram.send(b'f.count:1|c\n' * 100)  # longer than dogstatsd_buffer_size
    for start in (b'\xff\xff\xff\xff', b'\x05\x00', b'\x05\x00\x00\x00abc'):
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.connect(stream_path)
        stream.sendall(start)
        stream.close()
    for i in range(40):  # max_contexts: 20
        dgram.send(b'f.context%d:1|c' % i)
    for i in range(2000):  # max_context_bytes: 1MiB
        dgram.send(b'f.set:%04d%s|s' % (i, b'x' * 900))
    overflow(udp, int(pid))


def ledger_counters(path):
    """Names of all rows that are part of a sum, from the list that makes the ledger."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    for kind, level, second, third in re.findall(r'^(STAT|REASON)\((\w+), (\w+), (\w+)', text, re.M):
        if kind == 'REASON':
            yield f'{level}.{second}.{third}'
        elif third != 'NOTE':
            yield f'{level}.{second}'


def value(tree, name):
    for part in name.split('.'):
        tree = tree[part]
    return tree


def counters(stats_path, ledger_path):
    with open(ledger_path, encoding='utf-8') as file:
        ledger = json.load(file)
    for name in ledger_counters(stats_path):
        if value(ledger, name) != 0:
            print(name)


def untouched(stats_path, *touched):
    print(*[name for name in ledger_counters(stats_path) if name not in touched])


if __name__ == '__main__':
    run = {'frames': write_frames, 'fragments': write_fragments, 'send': send, 'counters': counters, 'untouched': untouched}
    run[sys.argv[1]](*sys.argv[2:])
