# SPDX-License-Identifier: BSD-3-Clause
"""The files of this tree, and what a check found in them. Used by scripts/check-*."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Input of tests, kept to the byte: no rule about text holds there.
VERBATIM = ('test/fuzz/corpus/', 'test/golden/', 'LICENSE')

TOKEN = re.compile(r'''/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*\'''', re.DOTALL)


def git(*arguments):
    """What git prints. The clone may belong to another user, as in a container."""
    return subprocess.run(['git', '-c', 'safe.directory=' + ROOT, '-C', ROOT, *arguments],
                          stdout=subprocess.PIPE, check=True).stdout.decode()


def files():
    """Paths relative to the root: tracked, and new ones that are not ignored."""
    listing = git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
    return sorted(path for path in set(listing.split('\0')) - {''}
                  if os.path.isfile(os.path.join(ROOT, path)))


def selected(arguments):
    """The files named on the command line (any working directory), else all."""
    if not arguments:
        return files()
    return [os.path.relpath(os.path.abspath(argument), ROOT) for argument in arguments]


def read(path):
    """The text of a file, or None when it is binary or not ours to judge."""
    if path.startswith(VERBATIM):
        return None
    with open(os.path.join(ROOT, path), 'rb') as file:
        data = file.read()
    if b'\0' in data:
        return None
    return data.decode('utf-8', 'replace')


def is_c(path):
    return path.endswith(('.c', '.h'))


def is_script(path, text):
    """python or sh or None, by the first line."""
    first = text.split('\n', 1)[0]
    if not first.startswith('#!'):
        return None
    return 'python' if 'python' in first else 'sh' if re.search(r'\b(ba)?sh\b', first) else None


def _blank(match, keep):
    token = match.group(0)
    if token[0] == '/' and keep == 'comments':
        return token
    return re.sub(r'[^\n]', ' ', token)


def code(text):
    """C text with comments and literals blanked: every line and column stays where it was."""
    return TOKEN.sub(lambda match: _blank(match, 'code'), text)


def comments(text):
    """The other half: only the comments."""
    out, at = [], 0
    for match in TOKEN.finditer(text):
        out.append(re.sub(r'[^\n]', ' ', text[at:match.start()]))
        out.append(_blank(match, 'comments'))
        at = match.end()
    out.append(re.sub(r'[^\n]', ' ', text[at:]))
    return ''.join(out)


class Findings:
    """Prints each finding as "file:line: what" and, at the end, one summary line."""

    def __init__(self):
        self.name = os.path.basename(sys.argv[0])
        self.count = 0

    def add(self, path, line, what):
        self.count += 1
        print(f'{path}:{line}: {what}')

    def finish(self, checked):
        print(f'{self.name}: {checked}, {self.count} findings')
        return 1 if self.count else 0
