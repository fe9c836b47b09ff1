#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Asks DPDK's telemetry socket as dpdk-telemetry.py does (protocol v2): a packet for a command, a
packet of JSON for the answer; the first packet is a greeting.

usage: telemetry.py SOCKET COMMAND
Prints the greeting for the command "", else what the command answers.
"""
import json
import socket
import sys

path, command = sys.argv[1:]
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
    client.settimeout(10)
    client.connect(path)
    greeting = json.loads(client.recv(1024).decode())
    if command == '':
        print(json.dumps(greeting))
        sys.exit(0)
    client.send(command.encode())
    answer = json.loads(client.recv(greeting['max_output_len']).decode())
    print(json.dumps(answer[command.partition(',')[0]]))
