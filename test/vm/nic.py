#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""penstockd on real PCI drivers, in a virtual machine that guest.py describes.

usage: nic.py [WORD]               all checks, or those with WORD in their name
       nic.py --shell              boot it and stay: a shell of the guest on this terminal; then
                                   "penstockd -c /run/uplink.yaml"; Ctrl-A X leaves

    penstock-load --udp--> tap --> emulated NIC --vfio-pci--> penstockd --> file == the load's sums

All of the host's side stands in namespaces of its own, and ends with this process.
The programs come from the environment: PENSTOCKD, PENSTOCKCTL, PENSTOCK_LOAD.
"""
import collections
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import traceback

from guest import KERNEL_NIC, NICS, RING, ROOT, VIRTIO, VMXNET3, Gone, Guest, missing

PAGES = 64  # of 2 MiB, on each node
FLOWS = 20
FLOW = RING * 3 // 4  # datagrams of one, which all go through one ring
CONFIG = '''\
hostname: guest
dogstatsd_port: 8125
bind_host: 127.0.0.1
dogstatsd_socket: ""
aggregate_window_duration_seconds: 3600
penstock:
  workers: [0, 1]
  idle: sleep
  memory_ceiling: 64MiB
  max_context_bytes: 64MiB
  admin: {{socket: /run/admin.sock, http: ""}}
  outputs: [{{type: file, path: /run/out.ndjson}}]
  ports: [{{name: uplink, device: "{device}", addresses: [{ip}/24]}}]
'''


def skip(reason):
    print(f'SKIP: {reason}')
    sys.exit(77)


def expect(what, wanted, got):
    if wanted != got:
        raise AssertionError(f'{what}: expected {wanted!r}, got {got!r}')


def expect_text(pattern, text):
    if not re.search(pattern, text):
        raise AssertionError(f'expected /{pattern}/ in: {text.strip()}')


class Lane:
    """The guest, and what every check does with it."""

    def __init__(self, guest, work):
        self.guest, self.work = guest, work

    def set_pages(self, *each):
        for node, n in enumerate(each):
            self.guest.must(f'echo {n} >/sys/devices/system/node/node{node}/hugepages/'
                            'hugepages-2048kB/nr_hugepages')

    def configure(self, device, ip='192.0.2.9', *own):
        text = CONFIG.format(device=device, ip=ip)
        for line in own:  # in place of a setting of this name, or beside them
            text = re.sub(rf'^  {line.split(":")[0]}:.*\n', '', text, flags=re.M) + f'  {line}\n'
        self.guest.write('/run/uplink.yaml', text)

    def ctl(self, command):
        return json.loads(self.guest.must(f'penstockctl -s /run/admin.sock --json {command}'))

    def start(self, nic, *own):
        self.configure(nic.address, nic.ip, *own)
        self.guest.must('rm -f /run/out.ndjson; penstockd -c /run/uplink.yaml >/run/log 2>&1 & '
                        'echo $! >/run/pid')
        self.guest.wait_until(
            'penstockd is ready', 'grep " ready " /run/log || ! kill -0 $(cat /run/pid)')
        log = self.guest.must('cat /run/log')
        expect_text(' ready ', log)
        return log

    def end(self, signal='TERM'):
        self.guest.run(f'kill -{signal} $(cat /run/pid)')
        self.guest.wait_until('penstockd ends', '! kill -0 $(cat /run/pid)')

    def refused(self, pattern, code=69):
        """Both --check and a start end with the code, and say why."""
        for options in ('--check ', ''):
            got, said = self.guest.run(f'timeout 20 penstockd {options}-c /run/uplink.yaml')
            if got != code:
                raise AssertionError(f'penstockd {options}ended with {got}: {said}')
            expect_text(pattern, said)

    def load(self, nic, number, prefix, *options):
        """One flow; what it sent, and the path of its sums."""
        sums = os.path.join(self.work, f'{nic.tap}-{prefix}-{number}.sums')
        run = subprocess.run(
            [os.environ['PENSTOCK_LOAD'], '--to', f'udp:{nic.ip}:8125', '--name-prefix', prefix,
             '--host', 'guest', '--sums', sums, '--rate', '6000', '--lines-per-datagram', '2',
             *options], capture_output=True, text=True, timeout=60, check=False)
        expect('penstock-load: exit code and errors', (0, {}),
               (run.returncode, json.loads(run.stdout or '{"errors": null}')['errors']))
        return json.loads(run.stdout)['sent'], sums

    def wait_for(self, n_datagrams):
        """Until so many were received. The guest's rings hold what comes in between."""
        self.guest.wait_until(
            f'{n_datagrams} datagrams are received',
            'penstockctl -s /run/admin.sock --json ledger >/run/ledger; '
            f'grep -q \'"datagrams":{{"received":{n_datagrams},\' /run/ledger || '
            '{ head -c 2000 /run/ledger; false; }')

    def exact(self, nic, n=FLOW):
        """Traffic of many flows comes out exactly, and every frame is accounted for.

        Flows of all types with names of their own; then flows that share their series, so that
        what lies in several workers is merged."""
        dropped, sent, paths = nic.dropped(), collections.Counter(), []
        before = self.ctl('ledger')['datagrams']['received']
        flows = [(i, f'flow{i}.', '--tags', '2') for i in range(FLOWS)]
        flows += [(i, 'shared.', '--types', 'c,d') for i in range(FLOWS)]
        for i, prefix, *options in flows:
            n_lines = 2 * n // (4 if prefix == 'shared.' else 1)
            flow_sent, path = self.load(nic, i, prefix, '--seed', str(i + 1), '--contexts', '40',
                                        '--lines', str(n_lines), *options)
            sent.update(flow_sent)
            paths.append(path)
            self.wait_for(before + sent['datagrams'])
        self.guest.must('penstockctl -s /run/admin.sock flush')
        ledger = self.ctl('ledger')
        expect('frames that the tap dropped', dropped, nic.dropped())
        for name, wanted in (('difference', 0), ('balanced', True)):
            expect(name, wanted, ledger[name])
        expect('frames delivered', before + sent['datagrams'], ledger['frames']['delivered'])
        expect('lines aggregated', sent['lines'], ledger['lines']['aggregated'])
        for reason in ('missed', 'no_mbuf', 'device_error', 'bad_ip_checksum', 'bad_udp_checksum'):
            expect(f'frames.dropped.{reason}', 0, ledger['frames']['dropped'][reason])
        self.compare(paths)
        return f'{sent["datagrams"]} datagrams, {sent["lines"]} lines'

    def compare(self, paths):
        expected, output = (os.path.join(self.work, name) for name in ('expected', 'output'))
        with open(expected, 'w') as file:
            for path in paths:
                with open(path) as sums:
                    shutil.copyfileobj(sums, file)
        with open(output, 'w') as file:
            file.write(self.guest.must('cat /run/out.ndjson', 120))
        run = subprocess.run([os.path.join(ROOT, 'scripts/compare-sums'), expected, output],
                             capture_output=True, text=True, timeout=60, check=False)
        if run.returncode != 0:
            raise AssertionError(run.stdout + run.stderr)

    def workers_reached(self, nic):
        """One series from many source ports: each worker that sees it keeps it once."""
        before = self.ctl('status')['contexts']
        received = self.ctl('ledger')['datagrams']['received']
        for _ in range(64):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.sendto(b'every.worker:1|c', (nic.ip, 8125))
        self.wait_for(received + 64)
        return self.ctl('status')['contexts'] - before


def check_names_nic(lane):
    lane.configure(VIRTIO.address)
    plan = lane.guest.must('penstockd --check -c /run/uplink.yaml')
    expect_text(r'0000:81:00\.0 \(PCI device, driver vfio-pci.*\).*, 2 queues', plan)
    expect_text(r'hugepages: .*: used', plan)


def virtio_exact(lane):
    log = lane.start(VIRTIO)
    expect_text(r'port uplink: 0000:81:00\.0, driver net_virtio, 2 of 2 queues', log)
    said = lane.exact(VIRTIO)
    lane.end()
    return said


def virtio_every_worker(lane):
    lane.start(VIRTIO)
    expect('workers that received', 2, lane.workers_reached(VIRTIO))
    lane.end()


def killed_and_restarted(lane):
    lane.start(VIRTIO)
    free = 'cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages'
    if int(lane.guest.must(free)) == 2 * PAGES:
        raise AssertionError('penstockd uses no hugepages, so this check checks nothing')
    lane.end('KILL')
    expect('hugepages that are free again', 2 * PAGES, int(lane.guest.must(free)))
    expect('files left below /dev/hugepages', '', lane.guest.must('ls -A /dev/hugepages'))
    lane.start(VIRTIO)
    said = lane.exact(VIRTIO, 100)
    lane.end()
    return said


def vmxnet3_exact(lane):
    log = lane.start(VMXNET3)
    expect_text('driver net_vmxnet3', log)
    said = lane.exact(VMXNET3, 400)
    # The emulation hashes nothing: all comes through the first queue, unless it is steered.
    expect('workers that received', 2 if 'steered in software' in log else 1,
           lane.workers_reached(VMXNET3))
    lane.end()
    return said


def too_few_hugepages(lane):
    lane.configure(VIRTIO.address)
    for n in (0, 2):
        lane.set_pages(n, n)
        lane.refused(rf'port uplink: .*hugepages.* {4 * n} MiB free.*vm\.nr_hugepages=')
    lane.set_pages(PAGES, PAGES)
    lane.configure(VIRTIO.address, VIRTIO.ip, 'hugepages: off')
    lane.refused('port uplink: .*hugepages is off: set it to auto', code=78)


def kernel_driver(lane):
    lane.configure(KERNEL_NIC)
    lane.refused(rf'port uplink: {KERNEL_NIC} .*virtio-pci.*dpdk-devbind\.py -b vfio-pci')
    lane.guest.must(f'echo {KERNEL_NIC} >/sys/bus/pci/devices/{KERNEL_NIC}/driver/unbind')
    lane.refused(rf'port uplink: {KERNEL_NIC} .*no driver.*dpdk-devbind\.py -b vfio-pci')
    lane.configure('0000:7f:00.0')
    lane.refused(r'port uplink: there is no PCI device 0000:7f:00\.0')


def near_its_node(lane):
    """One worker for a NIC on node 1: its core, its buffers and its rings are there."""
    lane.configure(VIRTIO.address, VIRTIO.ip, 'workers: auto')
    plan = lane.guest.must('penstockd --check -c /run/uplink.yaml')
    expect_text(r'core 1 +worker1 .*node 1, uplink queue 0', plan)
    expect_text(r'0000:81:00\.0 .*device on node 1, buffers on node 1', plan)
    lane.start(VIRTIO, 'workers: auto')
    expect('the cores of the worker', '1', lane.guest.must(
        'for task in /proc/$(cat /run/pid)/task/*; do grep -q worker $task/comm && '
        "sed -n 's/Cpus_allowed_list:\\t//p' $task/status; done; true").strip())
    used = [PAGES - int(n) for n in lane.guest.must(
        'cat /sys/devices/system/node/node*/hugepages/hugepages-2048kB/free_hugepages').split()]
    lane.end()
    # 1024 descriptors, each with a buffer in a page of 4 KiB: 4 MiB, without what is under way.
    if used[1] < 2 or used[0] > 1:
        raise AssertionError(f'hugepages taken from node 0 and 1: {used}')
    return f'hugepages taken from node 0 and 1: {used[0]} and {used[1]}'


def none_on_its_node(lane):
    lane.configure(VIRTIO.address)
    lane.set_pages(2 * PAGES, 0)
    lane.refused(r"port uplink: .*node 1 has none free.*'echo \d+ >/sys/devices/system/node/node1/")
    lane.set_pages(PAGES, PAGES)


def icmp_sum(data):
    """RFC 1071, of an even number of bytes."""
    total = sum(struct.unpack(f'>{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def echo(nic, sequence):
    """Sends an echo request (RFC 792) with 56 bytes each second until an answer comes; what it says
    and what it must, without type and checksum. The port first makes sure for some seconds that its
    address is nobody else's (RFC 5227), and the host gives up asking after three."""
    rest = struct.pack('>HH', 0x7065, sequence) + bytes(range(56))
    head = b'\x08\0' + struct.pack('>H', icmp_sum(b'\x08\0\0\0' + rest))
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as pinger:
        pinger.settimeout(1)
        for _ in range(30):
            pinger.sendto(head + rest, (nic.ip, 0))
            try:
                packet, (source, _) = pinger.recvfrom(2048)
            except TimeoutError:
                continue
            answer = packet[(packet[0] & 15) * 4:]
            if source == nic.ip and answer[0] == 0:
                expect('the checksum over the answer', 0, icmp_sum(answer))
                return answer[4:], rest
    raise AssertionError(f'no answer from {nic.ip}')


def arp_and_echo(lane):
    """The host knows nothing of the guest: it must ask (RFC 826), and both must be answered."""
    for nic in NICS:
        nic.forget_guest()
        try:
            lane.start(nic)
            for sequence in range(3):
                got, sent = echo(nic, sequence)
                expect(f'the answer on {nic.tap}', sent, got)
            expect(f'the neighbour on {nic.tap}', nic.mac, nic.neighbour())
            lane.end()
        finally:
            nic.know_guest()


def no_stray_writes(lane):
    """What the devices wrote was mapped for them."""
    faults = lane.guest.must('dmesg | grep "DMAR.*DMA Write" || true')
    expect('writes that the IOMMU refused', '', faults)


CHECKS = (
    ('--check names driver and queues', check_names_nic),
    ('virtio, two queues: sums are exact', virtio_exact),
    ('virtio, two queues: every worker receives', virtio_every_worker),
    ('killed and restarted: works at once', killed_and_restarted),
    ('vmxnet3: sums are exact', vmxnet3_exact),
    ('ARP and echo requests are answered', arp_and_echo),
    ('NUMA: worker and memory are on the node of the NIC', near_its_node),
    ('no device wrote where it may not', no_stray_writes),
    ('too few hugepages are refused', too_few_hugepages),
    ('NUMA: no hugepages on the node of the NIC are refused', none_on_its_node),
    ('a NIC without vfio-pci is refused', kernel_driver),
)


def run_checks(lane, word):
    failed = 0
    for name, check in CHECKS:
        if word not in name:
            continue
        try:
            said = check(lane)
            print(f"ok: {name}{f' ({said})' if said else ''}", flush=True)
        except Gone:
            raise
        except Exception as error:  # whatever it is: the other checks are still worth running
            failed += 1
            print(f'FAILED: {name}: {error}')
            if not isinstance(error, AssertionError):
                traceback.print_exc(file=sys.stdout)
            print(lane.guest.run('tail -n 20 /run/log; kill -9 $(cat /run/pid)')[1], flush=True)
    return failed


def enter_namespaces():
    """Starts this script again where taps and processes are its own."""
    command = ['unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
    if os.geteuid() != 0:
        command.append('--map-root-user')
    for program in ('PENSTOCKD', 'PENSTOCKCTL', 'PENSTOCK_LOAD'):
        if not os.access(os.environ.get(program, ''), os.X_OK):
            skip(f'{program} does not name a program')
    if os.uname().machine != 'x86_64':
        skip('the guest is an x86-64 machine, like its programs')
    if missing():
        skip(f'missing: {", ".join(missing())} (scripts/install-deps vm)')
    run = subprocess.run(command + ['ip', 'tuntap', 'add', 'tap0', 'mode', 'tap'],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        skip(f'no tap in a network namespace of its own: {run.stderr.strip()}')
    os.environ['PENSTOCK_VM_ENTERED'] = '1'
    os.execvp(command[0], command + [sys.executable] + sys.argv)


def prepare(guest, work):
    for nic in NICS:
        nic.know_guest()
    lane = Lane(guest, work)
    lane.set_pages(PAGES, PAGES)
    return lane


def stay(guest, work):
    """Until somebody leaves, by poweroff -f or Ctrl-A X."""
    prepare(guest, work).configure(VIRTIO.address, VIRTIO.ip)
    return guest.emulator.wait()


def main():
    if 'PENSTOCK_VM_ENTERED' not in os.environ:
        enter_namespaces()
    with tempfile.TemporaryDirectory(prefix='penstock-vm.') as work:
        programs = [os.environ['PENSTOCKD'], os.environ['PENSTOCKCTL']]
        try:
            if '--shell' in sys.argv:
                return stay(Guest(work, programs, 'mon:stdio'), work)
            with open(os.path.join(work, 'emulator'), 'w') as complaints:
                guest = Guest(work, programs, f'file:{work}/console', complaints)
            return 1 if run_checks(prepare(guest, work), ''.join(sys.argv[1:])) else 0
        except Gone as gone:
            print(f'FAILED: {gone}')
            for name in ('emulator', 'console'):
                with open(os.path.join(work, name), errors='replace') as file:
                    print(f'-- the end of {name}:\n{file.read()[-4000:]}')
            return 1


if __name__ == '__main__':
    sys.exit(main())
