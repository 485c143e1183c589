#!/bin/sh
# SPDX-License-Identifier: MIT
# One kernel of Triton, two versions of PTX.
# The wheel of Triton 3.9.0 has two assemblers. For sm_89 and older it writes PTX 8.8, for sm_90 and
# newer 9.4, so that a kernel for an older chip goes through another compiler.
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$folder/site" triton==3.9.0

cat > "$folder/add.py" <<'END'
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def add (x, y):
    i = tl.arange (0, 32)
    tl.store (y + i, tl.load (x + i))

for arch in 80, 89, 90, 120:
    source = ASTSource (add, { "x": "*fp32", "y": "*fp32" })
    ptx = triton.compile (source, target=GPUTarget ("cuda", arch, 32)).asm["ptx"]
    print (arch, *(line for line in ptx.splitlines () if line.startswith ((".version", ".target"))))
END
TRITON_CACHE_DIR=$folder/cache PYTHONPATH=$folder/site python3 -W ignore "$folder/add.py" |
    tee "$folder/log"
find "$folder/site/triton" -name 'ptxas*' -type f | sed "s|$folder/site/||" | sort
grep -q '^89 .version 8.8 .target sm_89$' "$folder/log"
grep -q '^90 .version 9.4 .target sm_90a$' "$folder/log"
test "$(find "$folder/site/triton" -name 'ptxas*' -type f -perm -1 | wc -l)" = 2
