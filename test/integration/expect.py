#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a test expects of JSON that the programs wrote. Ends with 0, or says what differs.

usage: expect.py arrived SENT LEDGER             every datagram that was sent is in the ledger
       expect.py delivered SENT LEDGER LISTENER  and all of it went where it should, exactly
       expect.py ledger LEDGER NAME=VALUE...     these counters have these values
       expect.py rows OUTPUT NAME=VALUE...       counts of this name add up to it, over all buckets
       expect.py contains EXPECTED OUTPUT        each row of EXPECTED is in OUTPUT; other fields of
                                                 a row there may be anything
"""
import collections
import json
import sys


def load(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def lookup(tree, name):
    for part in name.split('.'):
        tree = tree[part]
    return tree


def compare(pairs):
    """pairs: (what, expected, got)."""
    wrong = [pair for pair in pairs if pair[1] != pair[2]]
    for what, wanted, got in wrong:
        print(f'{what}: expected {wanted!r}, got {got!r}')
    return not wrong


def arrived(sent, ledger):
    got = load(ledger)
    return (got['datagrams']['received'] >= load(sent)['sent']['datagrams']
            and got['datagrams']['queued'] == 0)


def delivered(sent_path, ledger_path, listener):
    report, ledger = load(sent_path), load(ledger_path)
    sent, rejected = report['sent'], report['rejected_injected']
    lines, samples = ledger['lines'], ledger['samples']
    notices = sent['events'] + sent['service_checks']
    n_rejected = sum(rejected.values())
    pairs = [
        ('penstock-load: errors', {}, report['errors']),
        ('difference', 0, ledger['difference']),
        ('balanced', True, ledger['balanced']),
        ('datagrams.received', sent['datagrams'], ledger['datagrams']['received']),
        (f'datagrams.by_listener.{listener}', sent['datagrams'],
         ledger['datagrams']['by_listener'][listener]),
        ('datagrams.delivered', sent['datagrams'], ledger['datagrams']['delivered']),
        ('lines.received', sent['lines'], lines['received']),
        ('lines.passed', notices + sent['timestamped_lines'], lines['passed']),
        ('lines.aggregated',
         sent['lines'] - n_rejected - notices - sent['timestamped_lines'], lines['aggregated']),
        ('samples.received', sent['samples'], samples['received']),
        ('samples.passed', sent['timestamped_samples'], samples['passed']),
        ('samples.aggregated', sent['samples'] - sent['timestamped_samples'],
         samples['aggregated']),
    ]
    if n_rejected == 0:  # else a malformed line is also one of these
        pairs += [('lines.events', sent['events'], lines['events']),
                  ('lines.service_checks', sent['service_checks'], lines['service_checks'])]
    pairs += [(f'lines.rejected.{reason}', rejected.get(reason, 0), n)
              for reason, n in lines['rejected'].items()]
    for level in ('datagrams', 'lines', 'samples'):
        pairs += [(f'{level}.dropped.{reason}', 0, n)
                  for reason, n in ledger[level]['dropped'].items()]
    for name, counts in ledger['outputs'].items():
        pairs += [(f'outputs.{name}.delivered', counts['points'], counts['delivered']),
                  (f'outputs.{name}.queued', 0, counts['queued'])]
    return compare(pairs)


def ledger(path, *wanted):
    tree = load(path)
    pairs = []
    for item in wanted:
        name, value = item.split('=')
        pairs.append((name, json.loads(value), lookup(tree, name)))
    return compare(pairs)


def read_rows(path):
    """Every row of a file output, and the sum of the counts of each name."""
    rows, sums = [], collections.Counter()
    with open(path, encoding='utf-8') as file:
        for line in file:
            if not line.endswith('\n'):
                raise SystemExit(f'{path}: the last line is not whole: {line!r}')
            row = json.loads(line)
            rows.append(row)
            if row['type'] == 'count':
                sums[row['name']] += row['value']
    return rows, sums


def rows(path, *wanted):
    _, sums = read_rows(path)
    pairs = []
    for item in wanted:
        name, value = item.split('=')
        pairs.append((name, float(value), float(sums.get(name, 0))))
    return compare(pairs)


def holds(row, wanted):
    """Everything of wanted is in row, at any depth."""
    if isinstance(wanted, dict):
        return isinstance(row, dict) and all(
            key in row and holds(row[key], value) for key, value in wanted.items())
    return row == wanted


def contains(expected, output):
    got, _ = read_rows(output)
    with open(expected, encoding='utf-8') as file:
        wanted = [json.loads(line) for line in file]
    missing = [row for row in wanted if not any(holds(candidate, row) for candidate in got)]
    for row in missing:
        alike = [candidate for candidate in got
                 if all(candidate.get(key) == row.get(key) for key in ('type', 'name'))]
        print(f'expected {json.dumps(row)}, got {json.dumps(alike)}')
    return bool(wanted) and not missing


if __name__ == '__main__':
    checks = {check.__name__: check for check in (arrived, delivered, ledger, rows, contains)}
    sys.exit(0 if checks[sys.argv[1]](*sys.argv[2:]) else 1)
