#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""penstock-load through each of its senders, against receivers written here.

usage: load_senders.py PENSTOCK_LOAD COMPARE_SUMS

            udp ───────► socket ─┐
            uds ───────► socket ─┤
  one seed  uds-stream ► socket ─┼► the same lines in the same order, as many as reported
            pcap ──────► file ───┤
            dpdk ──────► file ───┘  (net_pcap; left out where DPDK or that driver is missing)
"""
import json
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading

LOAD, COMPARE = sys.argv[1:3]
PROFILE = ["--seed", "7", "--lines", "4000", "--contexts", "100", "--tags", "3", "--packed", "0.2",
           "--sampled", "0.3", "--timestamped", "0.2", "--reordered", "0.2", "--malformed", "0.1",
           "--events", "0.05", "--checks", "0.05"]
DEADLINE = 30  # s
failures = []


def check(name, good, detail=""):
    print(f"{'ok' if good else 'FAILED'}: {name} {'' if good else detail}")
    if not good:
        failures.append(name)


def load(to, *options, profile=PROFILE, code=0):
    run = subprocess.run([LOAD, "--to", to, *profile, *options], capture_output=True, text=True,
                         timeout=DEADLINE)
    check(f"{to.split(':')[0]} ends with {code}", run.returncode == code,
          f"{run.returncode}: {run.stderr}")
    return json.loads(run.stdout) if run.stdout else {"sent": {}, "errors": {}}


def ones_complement_sum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def payload_of(frame):
    """Checks every header of an Ethernet frame and returns the UDP payload."""
    ethernet_type, = struct.unpack_from(">H", frame, 12)
    ip = frame[14:34]
    source, port, udp_size = struct.unpack_from(">HHH", frame, 34)
    pseudo = ip[12:20] + struct.pack(">HH", 17, udp_size)
    assert ethernet_type == 0x0800 and ip[0] == 0x45 and ip[9] == 17
    assert struct.unpack_from(">H", ip, 2)[0] == len(frame) - 14
    assert udp_size == len(frame) - 34 and port == 8125 and source >= 49152
    assert ones_complement_sum(ip) == 0xffff
    assert ones_complement_sum(pseudo + frame[34:]) == 0xffff
    return frame[42:]


def read_pcap(path):
    with open(path, "rb") as file:
        magic, major, minor, _, _, _, link = struct.unpack("<IHHIIII", file.read(24))
        assert magic in (0xa1b23c4d, 0xa1b2c3d4) and (major, minor, link) == (2, 4, 1)
        last = (0, 0)
        while header := file.read(16):
            seconds, fraction, kept, size = struct.unpack("<IIII", header)
            assert kept == size and (seconds, fraction) >= last
            last = (seconds, fraction)
            yield payload_of(file.read(size))


class Receiver(threading.Thread):
    """Takes datagrams or frames until `enough` bytes are there."""

    def __init__(self, sock, enough, is_stream=False):
        super().__init__(daemon=True)
        self.sock, self.enough, self.is_stream = sock, enough, is_stream
        self.payloads = []
        sock.settimeout(DEADLINE)
        self.start()

    def run(self):
        if self.is_stream:
            connection, _ = self.sock.accept()
            stream = connection.makefile("rb")
            while header := stream.read(4):
                self.payloads.append(stream.read(struct.unpack("<I", header)[0]))
            return
        while sum(map(len, self.payloads)) < self.enough:
            self.payloads.append(self.sock.recv(65536))

    def result(self):
        self.join(DEADLINE)
        return self.payloads


def compare_with(name, reference, payloads, report):
    check(f"{name}: the same lines in the same order", b"".join(payloads) == reference)
    check(f"{name}: reports what arrived",
          report["sent"].get("datagrams") == len(payloads)
          and report["sent"].get("bytes") == sum(map(len, payloads))
          and report["sent"].get("lines") == reference.count(b"\n"), report)


def test_senders(folder):
    path = f"{folder}/load.pcap"
    report = load(f"pcap:{path}")
    payloads = list(read_pcap(path))
    reference = b"".join(payloads)
    compare_with("pcap", reference, payloads, report)

    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    receiver = Receiver(udp, len(reference))
    # Slow enough that the default receive buffer never overflows.
    report = load(f"udp:127.0.0.1:{udp.getsockname()[1]}", "--rate", "8000")
    compare_with("udp", reference, receiver.result(), report)

    for scheme, kind in (("uds", socket.SOCK_DGRAM), ("uds-stream", socket.SOCK_STREAM)):
        sock = socket.socket(socket.AF_UNIX, kind)
        sock.bind(f"{folder}/{scheme}")
        if kind == socket.SOCK_STREAM:
            sock.listen()
        receiver = Receiver(sock, len(reference), kind == socket.SOCK_STREAM)
        report = load(f"{scheme}:{folder}/{scheme}")
        compare_with(scheme, reference, receiver.result(), report)
    return reference


def test_dpdk(folder, reference):
    help_text = subprocess.run([LOAD, "--help"], capture_output=True, text=True).stdout
    if "dpdk:" not in help_text:
        print("left out: built without DPDK")
        return
    path = f"{folder}/dpdk.pcap"
    command = [LOAD, "--to", f"dpdk:net_pcap0,tx_pcap={path}", *PROFILE]
    run = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    if run.returncode == 69:
        print(f"left out: {run.stderr.strip()}")
        return
    compare_with("dpdk", reference, list(read_pcap(path)), json.loads(run.stdout))


def test_segments():
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    receiver = Receiver(udp, 64 * 1000)
    report = load(f"udp:127.0.0.1:{udp.getsockname()[1]}", "--gso", "--datagram-size", "1000",
                  "--lines-per-datagram", "10",
                  profile=["--seed", "7", "--lines", "640", "--types", "c"])
    payloads = receiver.result()
    check("udp --gso: arrives as datagrams of one size", [len(p) for p in payloads] == [1000] * 64)
    lines = [line for payload in payloads for line in payload.split(b"\n") if line]
    check("udp --gso: holds the lines", len(lines) == 640 == report["sent"].get("lines"), report)


def test_refused():
    """A UDP port that nobody listens on: every datagram is an error, and none was sent."""
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as udp:
            try:
                udp.bind((host, 0))
            except OSError as error:
                print(f"left out: {host}: {error}")
                continue
            port = udp.getsockname()[1]
        to = f"udp:[{host}]:{port}" if ":" in host else f"udp:{host}:{port}"
        report = load(to, profile=["--lines", "200", "--lines-per-datagram", "1"], code=1)
        check(f"{host}: every datagram is refused",
              report["errors"] == {"ECONNREFUSED": 200} and report["sent"]["datagrams"] == 0
              and report["unsent"] == {"datagrams": 200, "lines": 200}, report)


def test_blocked(folder):
    """Nobody reads: what does not fit is an error, and the sums are those of what was sent."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(f"{folder}/blocked")
    report = load(f"uds:{folder}/blocked", "--timeout", "20", "--sums", f"{folder}/sums",
                  profile=["--lines", "30", "--lines-per-datagram", "1", "--types", "c"], code=1)
    sock.setblocking(False)
    sums, n = {}, 0
    try:
        while True:
            name, value = re.fullmatch(rb"(.*):([\d.]+)\|c\n", sock.recv(65536)).groups()
            sums[name.decode()] = sums.get(name.decode(), 0) + float(value)
            n += 1
    except BlockingIOError:
        pass
    expected = [json.loads(line) for line in open(f"{folder}/sums", encoding="utf-8")]
    check("blocked: every datagram is sent or an error",
          report["sent"].get("datagrams") == n and report["errors"] == {"EAGAIN": 30 - n}
          and report["unsent"] == {"datagrams": 30 - n, "lines": 30 - n}, report)
    check("blocked: sums of what was sent", {row["name"]: row["value"] for row in expected} == sums)


def test_stream_timeout(folder):
    """A stream that nobody reads: a cut frame ends the connection, and is an error."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.bind(f"{folder}/stuck")
    sock.listen(64)
    report = load(f"uds-stream:{folder}/stuck", "--timeout", "20",
                  profile=["--lines", "100000", "--seconds", "1"], code=1)
    sock.setblocking(False)
    n = 0
    try:
        while True:
            connection, _ = sock.accept()
            connection.setblocking(True)
            stream = connection.makefile("rb")
            while len(header := stream.read(4)) == 4:
                size, = struct.unpack("<I", header)
                n += len(stream.read(size)) == size
    except BlockingIOError:
        pass
    check("stream: whole frames are those reported as sent", report["sent"].get("datagrams") == n,
          f"{n} {report}")


def test_refusals():
    for arguments in (["--to", "nowhere:1"], [], ["--to", "udp:127.0.0.1"], ["--lines", "x"],
                      ["--to", "udp:127.0.0.1:1", "--types", "q"], ["extra"],
                      ["--to", "udp:127.0.0.1:1", "--datagram-size", "20"],
                      ["--to", "udp:127.0.0.1:1", "--malformed", "0.6", "--events", "0.6"]):
        run = subprocess.run([LOAD, *arguments], capture_output=True, text=True, timeout=DEADLINE)
        check(f"refuses {' '.join(arguments) or 'nothing'}",
              run.returncode == 64 and run.stdout == "" and run.stderr.count("\n") == 1,
              f"{run.returncode} {run.stderr}")
    run = subprocess.run([LOAD, "--to", "uds:/nowhere/at/all"], capture_output=True, text=True)
    check("says what is missing", run.returncode == 69 and "/nowhere/at/all" in run.stderr)


def test_compare(folder):
    """compare-sums folds buckets, and sees one sample too many or too few."""
    expected = f"{folder}/expected"
    load(f"pcap:{folder}/compare.pcap", "--sums", expected, "--host", "box")
    rows = [json.loads(line) for line in open(expected, encoding="utf-8")]

    def compare(name, output, code, *options):
        path = f"{folder}/output"
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in output)
        run = subprocess.run([COMPARE, *options, expected, path], capture_output=True, text=True)
        check(f"compare-sums: {name}", run.returncode == code, run.stdout + run.stderr)

    def changed(select, **values):
        first = next(i for i, row in enumerate(rows) if select(row))
        return rows[:first] + [dict(rows[first], **values)] + rows[first + 1:]

    out = [dict(row, ts=row.get("ts", 1000), interval=10) for row in rows]
    compare("equal", out, 0)
    compare("another host", [dict(r, host="far" if r["host"] == "box" else r["host"])
                             for r in out], 0, "--host", "far")
    compare("filled-in zeros", out + [{"type": "count", "name": "idle", "ts": 1, "host": "box",
                                       "tags": [], "interval": 10, "value": 0}], 0)
    count = next(r for r in out if r["type"] == "count" and "timestamped" not in r
                 and not r["name"].endswith(".count") and r["value"] > 1)
    halves = [dict(count, ts=990, value=1), dict(count, value=count["value"] - 1)]
    compare("a count over two buckets", [r for r in out if r is not count] + halves, 0)
    gauge = next(r for r in out if r["type"] == "gauge" and "queue_depth" in r["name"]
                 and "timestamped" not in r)
    compare("an older gauge", out + [dict(gauge, ts=990, value=1e9)], 0)
    compare("a newer gauge", out + [dict(gauge, ts=1010, value=1e9)], 1)
    compare("a count off by one",
            changed(lambda r: r["type"] == "count", value=-1), 1)
    sketch = next(r for r in rows if r["type"] == "distribution")["sketch"]
    compare("a key off by one", changed(lambda r: r["type"] == "distribution",
                                        sketch=dict(sketch, k=[k + 1 for k in sketch["k"]])), 1)
    compare("an event lost", [r for r in out if r is not next(
        e for e in out if e["type"] == "event")], 1)
    compare("an event twice", out + [next(e for e in out if e["type"] == "event")], 1)
    compare("a timestamped value lost", [r for r in out if r is not next(
        e for e in out if e.get("timestamped"))], 1)
    one_set = next(r for r in out if r["type"] == "set")
    compare("a set in two buckets", out + [dict(one_set, ts=990)], 1)


def main():
    with tempfile.TemporaryDirectory() as folder:
        reference = test_senders(folder)
        test_dpdk(folder, reference)
        test_segments()
        test_refused()
        test_blocked(folder)
        test_stream_timeout(folder)
        test_refusals()
        test_compare(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
