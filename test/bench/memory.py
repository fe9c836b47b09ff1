#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Resident memory of a penstockd with so many live contexts (counters with 4 tags, no port open).

usage: memory.py BUILD [--json] [--only LOAD] [--windows N]
  --windows N  flushes that are waited for after the last line (3)

The figure is the peak (VmHWM), from the start, over the first sight of all contexts, to the last of
these flushes; beside it stands what is resident then. The load goes over a Unix socket.
"""
import argparse
import json
import sys
import time

from subject import Subject

LOADS = {'idle': 0, '10k contexts': 10000, '100k contexts': 100000, '250k contexts': 250000,
         '1M contexts': 1000000}
WINDOW = 2  # s
ROUNDS = 2  # how often each context is sent


def send(subject, n):
    """Every context, ROUNDS times; none may get lost."""
    run = subject.load('--to', 'uds:' + subject.path('dsd.sock'), '--contexts', str(n), '--types',
                       'c', '--tags', '4', '--lines', str(ROUNDS * n), '--timeout', '10000')
    report = json.loads(run.communicate()[0])
    if report['sent']['lines'] != ROUNDS * n:
        sys.exit('memory: the load could not be sent')
    while subject.ask('ledger')['lines']['received'] < ROUNDS * n:
        time.sleep(0.05)


def check(subject, n):
    ledger = subject.ask('ledger')
    if not ledger['balanced'] or ledger['lines']['aggregated'] != ROUNDS * n or \
            subject.ask('status')['contexts'] != n:
        sys.exit('memory: not every context was kept: ' + json.dumps(ledger))


def measure(build, name, windows):
    n = LOADS[name]
    with Subject(build, 'hostname: bench', 'dogstatsd_port: 0', 'dogstatsd_socket: FOLDER/dsd.sock',
                 f'aggregate_window_duration_seconds: {WINDOW}', 'penstock:',
                 f'  max_contexts: {2 * max(LOADS.values())}',
                 '  max_context_bytes: 2147483648') as subject:
        if n != 0:
            send(subject, n)
        time.sleep(windows * WINDOW)
        check(subject, n)
        return {'load': name, 'unit': 'MiB', 'contestant': 'penstockd',
                'median': round(subject.memory('VmHWM'), 1),
                'note': f'{subject.memory("VmRSS"):.0f} MiB after {windows} flushes'}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('build')
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--only', choices=LOADS)
    parser.add_argument('--windows', type=int, default=3)
    options = parser.parse_args()
    for name in LOADS:
        if options.only not in (None, name):
            continue
        row = measure(options.build, name, options.windows)
        print(json.dumps(row) if options.json else
              f'{name:16} {row["median"]} MiB, {row["note"]}', flush=True)


main()
