#!/bin/sh
# SPDX-License-Identifier: MIT
# A NUL at the end of a text.
# nvrtcGetPTXSize () counts the NUL behind the PTX. NVIDIA Warp 1.19.0 writes all of that to its files, so
# that its .ptx ends with a NUL, which grep takes for a binary file. Kernels take arrays by value, 56 bytes
# each.
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$folder/site" warp-lang==1.19.0 numpy==2.4.6

cat > "$folder/double.py" <<'END'
import sys
import warp as wp

wp.config.quiet = True
wp.config.kernel_cache_dir = sys.argv[1] + "/cache"

@wp.kernel
def double (x: wp.array (dtype=wp.float32)):
    i = wp.tid ()
    x[i] = x[i] * 2.0

wp.compile_aot_module (sys.modules[__name__], device=None, arch=90,
                       module_dir=sys.argv[1] + "/out", use_ptx=True)
END
PYTHONPATH=$folder/site python3 "$folder/double.py" "$folder" > "$folder/log"
file=$(find "$folder/out" -name '*.ptx')
echo "last bytes:$(tail -c 4 "$file" | od -An -tx1)"
grep -a '^\.version' "$file"
grep -ao 'b8 double_.*_cuda_kernel_forward_param_[0-9]*\[[0-9]*\]' "$file"
test "$(tail -c 1 "$file" | od -An -tx1)" = " 00"
grep -qa 'cuda_kernel_forward_param_1\[56\]' "$file"
