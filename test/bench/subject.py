# SPDX-License-Identifier: BSD-3-Clause
"""A penstockd to measure: started on a private folder in /tmp, asked over its admin socket."""
import json
import os
import subprocess
import tempfile
import time

READY_WITHIN = 30  # s


class Subject:
    """Use it in a with statement. build: the build folder; lines: of the configuration."""

    def __init__(self, build, *lines):
        self.penstockd = os.path.join(build, 'app', 'penstockd', 'penstockd')
        self.load_program = os.path.join(build, 'app', 'penstock-load', 'penstock-load')
        self.control = os.path.join(build, 'app', 'penstockctl', 'penstockctl')
        self.folder = tempfile.TemporaryDirectory(prefix='penstock-bench-', dir='/tmp')
        self.admin = self.path('admin.sock')
        self.lines = lines
        self.process = None

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def __enter__(self):
        config = self.path('penstock.yaml')
        with open(config, 'w', encoding='ascii') as file:
            for line in self.lines:
                print(line.replace('FOLDER', self.folder.name), file=file)
            print(f'  hugepages: "off"\n  outputs: [{{type: "null"}}]\n'
                  f'  admin: {{socket: {self.admin}, http: ""}}', file=file)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith('DD_')}
        with open(self.path('log'), 'w', encoding='utf-8') as log:
            self.process = subprocess.Popen([self.penstockd, '-c', config], stdout=log, stderr=log,
                                            env=environment)
        until = time.monotonic() + READY_WITHIN
        while self.ask('status').get('state') != 'ready':
            if self.process.poll() is not None or time.monotonic() > until:
                with open(self.path('log'), encoding='utf-8') as log:
                    raise SystemExit('penstockd does not start: ' + log.read()[-2000:])
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def ask(self, word):
        """The reply as an object, empty when there is none."""
        run = subprocess.run([self.control, '-s', self.admin, '--json', word],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            return json.loads(run.stdout)
        except ValueError:
            return {}

    def load(self, *arguments, **options):
        return subprocess.Popen([self.load_program, *arguments], stdout=subprocess.PIPE, text=True,
                                **options)

    def memory(self, field):
        """MiB, from /proc/PID/status."""
        with open(f'/proc/{self.process.pid}/status', encoding='ascii') as file:
            for line in file:
                if line.startswith(field + ':'):
                    return int(line.split()[1]) / 1024
        return 0

    def thread_cpus(self, name):
        """The CPUs that the thread of this name may use."""
        tasks = f'/proc/{self.process.pid}/task'
        for task in os.listdir(tasks):
            with open(f'{tasks}/{task}/comm', encoding='utf-8') as file:
                if file.read().strip() == name:
                    return os.sched_getaffinity(int(task))
        return set()
