#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The three commands of docs/triton.md, as they stand there.

    test-triton.py CURED SOURCE

Skipped where no python3 has Triton: `pip install triton` into an environment whose
python3 comes first in PATH, or which CURED_TEST_TRITON names.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def find_python():
    for python in (os.environ.get('CURED_TEST_TRITON'), 'python3'):
        if python is not None and shutil.which(python) is not None:
            done = subprocess.run([python, '-c', 'import triton'], check=False,
                                  capture_output=True)
            if done.returncode == 0:
                return python
    return None


def main():
    cured = pathlib.Path(sys.argv[1]).resolve()
    source = pathlib.Path(sys.argv[2]).resolve()
    text = (source / 'docs/triton.md').read_text(encoding='utf-8')
    commands = re.search(r'```sh\n(.*?)```', text, re.DOTALL)[1].splitlines()
    assert len(commands) == 3, commands
    python = find_python()
    if python is None:
        print('1..0 # SKIP no python3 here has Triton')
        return
    print('1..3')
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TRITON_CACHE_DIR=folder + '/CACHE')
        for number, command in enumerate(commands, 1):
            words = command.split()
            if words[0] == 'cured':
                words[0] = str(cured)
            else:
                words[:2] = [python, str(source / words[1])]
            done = subprocess.run(words, cwd=folder, env=environment,
                                  check=False, capture_output=True, text=True)
            right = done.returncode == 0
            if number == 3:
                # The tiles of both factors meet in banks: so says the page.
                right = right and re.search(
                    r'ld\.shared\.b32 .* +2$', done.stdout, re.MULTILINE)
            if not right:
                print('\n'.join('# ' + line for line in
                                (done.stdout + done.stderr).splitlines()))
            print('%s %d - %s' % ('ok' if right else 'not ok', number, command))


if __name__ == '__main__':
    main()
