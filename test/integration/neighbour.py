#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A neighbour of a port: it asks through the kernel of this machine, and looks at raw frames.

  neighbour.py ping ADDRESS [COUNT]            echo requests by a raw socket; every answer must come
  neighbour.py flood INTERFACE MAC SOURCE DESTINATION SECONDS   prints how many were answered
  neighbour.py tagged INTERFACE MAC SOURCE DESTINATION   ARP and echo, with one tag and with two
  neighbour.py listen INTERFACE SECONDS        prints what is announced and asked, a line a frame
  neighbour.py dispute INTERFACE ADDRESS       claims the address, from 02:00:00:00:00:99
  neighbour.py checksums INTERFACE             lets the kernel fill checksums in by itself
  neighbour.py serve ADDRESS PORT              TCP: sends back what it gets, once
  neighbour.py fetch ADDRESS PORT BYTES        TCP: sends so much and wants it back
"""
import ctypes
import fcntl
import ipaddress
import select
import socket
import struct
import sys
import time

ALL = 3  # ETH_P_ALL
RIVAL = bytes.fromhex('020000000099')


def checksum(data):
    """RFC 1071, word by word."""
    data += b'\0' * (len(data) % 2)
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def mac_of(text):
    return bytes.fromhex(text.replace(':', ''))


def packed(address):
    return ipaddress.ip_address(address).packed


def own_mac(interface):
    with open(f'/sys/class/net/{interface}/address', encoding='ascii') as file:
        return mac_of(file.read().strip())


def raw(interface):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    sock.bind((interface, ALL))
    return sock


def echo(kind, sequence, payload):
    message = struct.pack('!BBHHH', kind, 0, 0, 0x4242, sequence) + payload
    return message[:2] + struct.pack('!H', checksum(message)) + message[4:]


def ipv4(source, destination, message):
    header = struct.pack('!BBHHHBBH', 0x45, 0, 20 + len(message), 7, 0, 64, 1, 0)
    header += packed(source) + packed(destination)
    return header[:10] + struct.pack('!H', checksum(header)) + header[12:] + message


def arp(operation, sender_mac, sender, target):
    return struct.pack('!HHBBH', 1, 0x0800, 6, 4, operation) + sender_mac + packed(sender) + \
        bytes(6) + packed(target)


def ping_once(sock, address, version, sequence, payload):
    kind, answer = (8, 0) if version == 4 else (128, 129)
    sock.sendto(echo(kind, sequence, payload), (address, 0))
    until = time.monotonic() + 3
    while select.select([sock], [], [], max(0, until - time.monotonic()))[0]:
        packet, source = sock.recvfrom(65536)
        if version == 4:
            packet = packet[(packet[0] & 15) * 4:]
            if checksum(packet) != 0:
                sys.exit('an answer with a wrong checksum')
        if packet[0] == answer and source[0] == address and \
                packet[4:] == struct.pack('!HH', 0x4242, sequence) + payload:
            return
    sys.exit(f'no answer from {address} to request {sequence} of {len(payload)} bytes')


def ping(address, count='3'):
    version = ipaddress.ip_address(address).version
    if version == 4:
        sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    else:
        sock = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    sock.bind(('', 0))
    # Even, odd, empty, and as long as an Ethernet frame takes.
    sizes = [56, 1, 0, 1472 if version == 4 else 1452]
    for i in range(int(count)):
        ping_once(sock, address, version, i, b'p' * sizes[i % len(sizes)])


def flood(interface, mac, source, destination, seconds):
    sock, answered = raw(interface), 0
    frame = mac_of(mac) + own_mac(interface) + b'\x08\x00' + \
        ipv4(source, destination, echo(8, 1, b'flood'))
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until:
        for _ in range(32):
            sock.send(frame)
        answered += drain(sock, 0)
    print(answered + drain(sock, 0.5))


def drain(sock, patience):
    """Echo replies that wait."""
    n = 0
    while select.select([sock], [], [], patience)[0]:
        frame, address = sock.recvfrom(2048)
        n += address[2] != socket.PACKET_OUTGOING and frame[12:14] == b'\x08\x00' and \
            frame[34] == 0
    return n


def ask(sock, frame, what, expected):
    sock.send(frame)
    until = time.monotonic() + 3
    while select.select([sock], [], [], max(0, until - time.monotonic()))[0]:
        answer, _, _, _ = received(sock)
        if answer.startswith(expected):
            return
    sys.exit(f'no answer to {what}')


def received(sock):
    """The kernel takes a tag off a frame and hands it out beside it."""
    data, control, flags, address = sock.recvmsg(2048, 256)
    for level, kind, value in control:
        if (level, kind) == (263, 8):  # SOL_PACKET, PACKET_AUXDATA
            status, _, _, _, _, tci, tpid = struct.unpack('IIIHHHH', value[:20])
            if status & 0x10:  # TP_STATUS_VLAN_VALID
                data = data[:12] + struct.pack('!HH', tpid, tci) + data[12:]
    return data, control, flags, address


def tagged(interface, mac, source, destination):
    us, port, sock = own_mac(interface), mac_of(mac), raw(interface)
    sock.setsockopt(263, 8, 1)
    # net_af_packet makes an outer tag of type 88a8 one of type 8100; a NIC does not.
    for tags in '81000007', '8100006481000007':
        tags = bytes.fromhex(tags)
        ask(sock, b'\xff' * 6 + us + tags + b'\x08\x06' + arp(1, us, source, destination),
            f'ARP with tags {tags.hex()}',
            us + port + tags + b'\x08\x06' + struct.pack('!HHBBH', 1, 0x0800, 6, 4, 2) + port +
            packed(destination) + us + packed(source))
        ask(sock, port + us + tags + b'\x08\x00' +
            ipv4(source, destination, echo(8, 9, b'tagged')),
            f'echo with tags {tags.hex()}', us + port + tags + b'\x08\x00\x45')


def describe(frame):
    kind = struct.unpack('!H', frame[12:14])[0]
    if kind == 0x0806:
        sender, target = (ipaddress.ip_address(frame[i:i + 4]) for i in (28, 38))
        return f'{"arp" if frame[21] == 1 else "arp-reply"} {sender} {target}'
    if kind == 0x86dd and frame[20] == 58 and frame[54] in (135, 136):
        source = ipaddress.ip_address(frame[22:38])
        to = ipaddress.ip_address(frame[38:54])
        target = ipaddress.ip_address(frame[62:78])
        return f'ns {source} {target}' if frame[54] == 135 else f'na {source} {target} {to}'
    return None


def listen(interface, seconds):
    sock, until = raw(interface), time.monotonic() + float(seconds)
    print('listening', flush=True)
    while select.select([sock], [], [], max(0, until - time.monotonic()))[0]:
        frame, address = sock.recvfrom(2048)
        text = describe(frame) if address[2] != socket.PACKET_OUTGOING else None
        if text is not None:
            print(text, flush=True)


def dispute(interface, address):
    raw(interface).send(b'\xff' * 6 + RIVAL + b'\x08\x06' + arp(1, RIVAL, address, address))


def checksums(interface):
    """ETHTOOL_STXCSUM and ETHTOOL_SGSO: linux/ethtool.h, linux/sockios.h."""
    sock = socket.socket()
    for command in 0x17, 0x24:
        value = ctypes.create_string_buffer(struct.pack('II', command, 0))
        fcntl.ioctl(sock, 0x8946,
                    struct.pack('16sQ16x', interface.encode(), ctypes.addressof(value)))


def serve(address, port):
    family = socket.AF_INET6 if ':' in address else socket.AF_INET
    with socket.create_server((address, int(port)), family=family) as server:
        print('serving', flush=True)
        peer, _ = server.accept()
        while data := peer.recv(65536):
            peer.sendall(data)


def fetch(address, port, size):
    sock = socket.create_connection((address, int(port)), timeout=10)
    sent = (bytes(range(251)) * (int(size) // 251 + 1))[:int(size)]
    back = bytearray()
    for i in range(0, len(sent), 4096):
        sock.sendall(sent[i:i + 4096])
        while len(back) < min(i + 4096, len(sent)):
            data = sock.recv(65536)
            if not data:
                sys.exit('the connection ended early')
            back += data
    if back != sent:
        sys.exit('not what was sent came back')


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
