# SPDX-License-Identifier: BSD-3-Clause
"""A small virtual machine under software emulation, whose NICs belong to vfio-pci behind an emulated
IOMMU. Its root is a RAM disk made of busybox, our programs and the libraries they link.

    node 0, CPU 0:  0000:00:10.0  virtio-net, left to the kernel's driver
                    0000:01:00.0  vmxnet3, one queue           <-- tap1, 10.78.1.1/24
    node 1, CPU 1:  0000:81:00.0  virtio-net, two queues, RSS  <-- tap0, 10.78.0.1/24

The taps stand in the network namespace that the caller is in.
"""
import base64
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNPACKED = os.path.join(ROOT, 'build-vm')
KERNEL_NIC = '0000:00:10.0'
PACKAGES = {'qemu-system-x86_64': 'qemu-system-x86', 'busybox': 'busybox-static', 'cpio': 'cpio',
            'modprobe': 'kmod', 'ip': 'iproute2'}
# vfio first: the devices that it is to have must find it. The kernel's own are loaded for the
# control channel and for the NIC that stays with the kernel.
MODULES = ('vfio_iommu_type1', 'vfio-pci', 'virtio_pci', 'virtio_console', 'virtio_net')
MEMORY = 512  # MiB of each node
BOOT_SECONDS = 120  # under a busy host; alone it takes about 15


class Nic:
    """A NIC that vfio-pci has, and the tap that leads to it."""

    def __init__(self, number, device, address, slot, queues):
        self.device, self.address, self.slot, self.queues = device, address, slot, queues
        self.tap = f'tap{number}'
        self.mac = f'52:54:00:12:34:5{number}'
        self.ip, self.host_ip = f'10.78.{number}.9', f'10.78.{number}.1'

    def make_tap(self):
        # All that is sent waits in the tap's queue, however slow the guest is.
        for command in (f'tuntap add {self.tap} mode tap' + ' multi_queue' * (self.queues > 1),
                        f'link set {self.tap} txqueuelen 65536 up',
                        f'addr add {self.host_ip}/24 dev {self.tap}'):
            subprocess.run(['ip', *command.split()], check=True)

    def know_guest(self):
        """Instead of ARP."""
        subprocess.run(['ip', 'neigh', 'replace', self.ip, 'lladdr', self.mac, 'dev', self.tap],
                       check=True)

    def forget_guest(self):
        subprocess.run(['ip', 'neigh', 'flush', 'nud', 'all', 'dev', self.tap], check=True)

    def neighbour(self):
        """The hardware address that the host has for the guest, or None."""
        run = subprocess.run(['ip', '-json', 'neigh', 'show', self.ip, 'dev', self.tap],
                             capture_output=True, check=True)
        return next((row.get('lladdr') for row in json.loads(run.stdout)), None)

    def dropped(self):
        """Frames that the tap had no room for; they never reached the guest."""
        run = subprocess.run(['ip', '-json', '-stats', 'link', 'show', self.tap],
                             capture_output=True, check=True)
        return json.loads(run.stdout)[0]['stats64']['tx']['dropped']

    def arguments(self):
        queues = f',queues={self.queues}' if self.queues > 1 else ''
        return ['-netdev', f'tap,id={self.tap},ifname={self.tap},script=no,downscript=no,vhost=off'
                + queues, '-device', f'{self.device},netdev={self.tap},mac={self.mac},{self.slot}']


# What the receive ring of each queue holds. A ring must never run full: the emulator spreads flows
# (RSS) behind the tap's own queues, and stops reading one of those for ever when the ring that its
# next frame belongs to is full.
RING = 1024

VIRTIO = Nic(0, 'virtio-net-pci,mq=on,vectors=6,rss=on,disable-legacy=on,iommu_platform=on,'
             f'rx_queue_size={RING}',
             '0000:81:00.0', 'bus=farport', 2)
VMXNET3 = Nic(1, 'vmxnet3', '0000:01:00.0', 'bus=nearport', 1)
NICS = (VIRTIO, VMXNET3)


def kernel():
    """The kernel that scripts/install-deps unpacked, or None."""
    return next(iter(glob.glob(f'{UNPACKED}/boot/vmlinuz-*')), None)


def missing():
    """What must be there first."""
    packages = [package for name, package in PACKAGES.items() if not shutil.which(name)]
    return packages + ([] if kernel() else ['a kernel below build-vm'])


def libraries(program):
    listed = subprocess.run(['ldd', program], capture_output=True, text=True, check=True).stdout
    return re.findall(r'(/\S+) \(0x', listed)


def modules():
    """Files of the modules in an order in which they load."""
    release = os.path.basename(kernel()).split('-', 1)[1]
    files = []
    for name in MODULES:
        run = subprocess.run(['modprobe', '-d', UNPACKED, '-S', release, '-D', name],
                             capture_output=True, text=True, check=True)
        files += re.findall(r'^insmod (\S+)', run.stdout, re.M)
    return list(dict.fromkeys(files))


def build_disk(work, programs):
    """The RAM disk, as a file below work."""
    root = os.path.join(work, 'root')

    def put(source, target):
        target = root + target
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)

    for folder in ('proc', 'sys', 'dev', 'tmp', 'run', 'etc', 'bin'):
        os.makedirs(os.path.join(root, folder))
    put(os.path.join(ROOT, 'test/vm/init'), '/init')
    put(shutil.which('busybox'), '/bin/busybox')
    applets = subprocess.run(['busybox', '--list'], capture_output=True, text=True, check=True)
    for applet in applets.stdout.split():
        if applet != 'busybox':
            os.symlink('busybox', os.path.join(root, 'bin', applet))
    needed = {path for program in programs for path in libraries(program)}
    # Opened by its name when the first thread is cancelled.
    needed.update(glob.glob('/lib/*-linux-gnu/libgcc_s.so.1'))
    for path in needed:
        put(path, path)
    for program in programs:
        put(program, '/usr/sbin/' + os.path.basename(program))
    for number, path in enumerate(modules(), 10):
        put(path, f'/modules/{number}-{os.path.basename(path)}')
    with open(os.path.join(root, 'etc/nics'), 'w') as file:
        file.writelines(nic.address + '\n' for nic in NICS)
    disk = os.path.join(work, 'disk')
    with open(disk, 'wb') as file:  # not compressed: the emulation would be slower than the copy
        find = subprocess.Popen(['find', '.'], cwd=root, stdout=subprocess.PIPE)
        subprocess.run(['cpio', '-o', '-H', 'newc', '--quiet'], cwd=root, stdin=find.stdout,
                       stdout=file, check=True)
        find.wait()
    return disk


def emulator_arguments(disk, control, console):
    arguments = ['qemu-system-x86_64', '-nodefaults', '-no-user-config', '-display', 'none',
                 '-no-reboot', '-machine', 'q35', '-accel', 'tcg,thread=multi', '-cpu', 'max',
                 '-smp', '2', '-m', str(2 * MEMORY), '-kernel', kernel(), '-initrd', disk,
                 '-append', 'console=ttyS0 quiet panic=-1 intel_iommu=on iommu=pt nokaslr '
                 'mitigations=off',
                 # vfio refuses a group whose interrupts are not remapped.
                 '-device', 'intel-iommu,intremap=on',
                 '-device', 'pxb-pcie,id=far,bus=pcie.0,bus_nr=0x80,numa_node=1',
                 '-device', 'pcie-root-port,id=farport,bus=far,chassis=1',
                 '-device', 'pcie-root-port,id=nearport,bus=pcie.0,addr=8,chassis=2',
                 '-device', f'virtio-net-pci,bus=pcie.0,addr={KERNEL_NIC[8:10]}',
                 '-device', 'virtio-serial-pci,bus=pcie.0',
                 '-chardev', f'socket,id=control,fd={control}',
                 '-device', 'virtserialport,chardev=control,name=control', '-serial', console]
    for node in range(2):
        arguments += ['-object', f'memory-backend-ram,id=memory{node},size={MEMORY}M',
                      '-numa', f'node,nodeid={node},cpus={node},memdev=memory{node}']
    for nic in NICS:
        arguments += nic.arguments()
    return arguments


class Gone(Exception):
    """The guest does not answer any more."""


class Guest:
    """Boots it; from then on run() and its relatives."""

    def __init__(self, work, programs, console, complaints=None):
        disk = build_disk(work, programs)
        for nic in NICS:
            nic.make_tap()
        self.control, theirs = socket.socketpair()
        with theirs:
            self.emulator = subprocess.Popen(emulator_arguments(disk, theirs.fileno(), console),
                                             pass_fds=[theirs.fileno()], stdout=complaints,
                                             stderr=complaints)
        self.answers = self.control.makefile('rb')
        self._answer(BOOT_SECONDS)

    def _answer(self, seconds):
        self.control.settimeout(seconds)
        try:
            head = self.answers.readline().split()
            if len(head) != 2:
                raise Gone('the guest went down')
            return int(head[0]), self.answers.read(int(head[1])).decode()
        except TimeoutError:
            raise Gone(f'the guest does not answer for {seconds} s') from None

    def run(self, command, seconds=30):
        """One line of shell; its exit code and what it wrote."""
        self.control.sendall(command.encode() + b'\n')
        return self._answer(seconds)

    def must(self, command, seconds=30):
        code, said = self.run(command, seconds)
        if code != 0:
            raise AssertionError(f"'{command}' ended with {code}: {said.strip()}")
        return said

    def wait_until(self, what, command, seconds=60):
        """Until the command succeeds; returns what it wrote then."""
        end = time.monotonic() + seconds
        while True:
            code, said = self.run(command)
            if code == 0:
                return said
            if time.monotonic() > end:
                raise AssertionError(f'not within {seconds} s: {what}: {said.strip()}')
            time.sleep(0.1)

    def write(self, path, text):
        self.must(f'echo {base64.b64encode(text.encode()).decode()} | base64 -d >{path}')
