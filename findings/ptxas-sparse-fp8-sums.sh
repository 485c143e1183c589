#!/bin/sh
# SPDX-License-Identifier: MIT
# 8-bit floats that are added up in halves.
# For sm_90, ptxas 13.0.88 takes mma.m16n8k32 of .e4m3 with .f16 sums, but the sparse product
# mma.sp.m16n8k64 of the same types with .f32 sums alone: with .f16 it says that the instruction is not
# supported on sm_90.
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$folder/site" nvidia-cuda-nvcc==13.0.88 nvidia-cuda-nvdisasm==13.5.37
bin=$folder/site/nvidia/cu13/bin
"$bin/ptxas" --version | tail -2 | head -1

# What ptxas makes of a kernel with this body, without what every kernel has.
assemble () {
    printf '%s\n' ".version $2" ".target sm_90" ".address_size 64" \
        ".visible .entry k (.param .u64 p)" "{" ".reg .b64 b; .reg .b32 r<20>; .reg .f32 f<20>;" \
        "ld.param.u64 b, [p];" "$1" "ret;" "}" > "$folder/k.ptx"
    "$bin/ptxas" -arch=sm_90 "$folder/k.ptx" -o "$folder/k.cubin" 2> "$folder/log" || return 1
    "$bin/nvdisasm" -c "$folder/k.cubin" | sed -n 's|^ */\*[0-9a-f]*\*/ *||p' |
        grep -vE '^(NOP|LDC|ULDC|EXIT|BRA|/\*)' | sed 's| */\*.*||'
}

product () {
    if assemble "$1;" 8.8 > /dev/null; then echo "taken: $1"; else
        echo "refused: $1"
        grep -o 'error.*' "$folder/log"
        return 1
    fi
}
product "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {r8, r9}, {r0, r1, r2, r3}, {r4, r5}, {r8, r9}"
product "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5, r6, r7}, {f0, f1, f2, f3}, r8, 0"
if product "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16 {r8, r9}, {r0, r1, r2, r3}, {r4, r5, r6, r7}, {r8, r9}, r10, 0"; then exit 1; fi
grep -q "not supported on .target 'sm_90'" "$folder/log"
