#!/bin/sh
# SPDX-License-Identifier: MIT
# A borrow where 0 is subtracted.
# PTX ISA 9.0, sub.cc: the carry flag is the borrow out, and x - 0 borrows nothing. Behind mul.hi.u32, ptxas
# 13.0.88 and 13.5.37 make one IMAD.HI.U32 of both, which adds 0 - c and takes the carry of that addition
# for "no borrow". With c = 0 nothing is carried, and subc takes 1 off: on an H200 (driver 580.159.04), for
# the high half of a difference whose low half subtracts 0. Without mul.hi in front, the carry is right.
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$folder/site" nvidia-cuda-nvcc==13.5.37 nvidia-cuda-nvdisasm==13.5.37
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

load="ld.global.v4.u32 {r0, r1, r2, r3}, [b];"
store="st.global.v2.u32 [b+32], {r4, r5};"
fused=$(assemble "$load mul.hi.u32 r4, r1, r2; sub.cc.u32 r4, r4, r0; subc.u32 r5, r3, r4; $store" 8.0)
apart=$(assemble "$load sub.cc.u32 r4, r1, r0; subc.u32 r5, r3, r4; $store" 8.0)
echo "mul.hi.u32 and sub.cc.u32:"
echo "$fused"
echo "sub.cc.u32 alone:"
echo "$apart"
echo "$fused" | grep -q 'IADD3 R[0-9]*, RZ, -R[0-9]*, RZ'
echo "$fused" | grep -q 'IMAD.HI.U32 R[0-9]*, P0,'
echo "$apart" | grep -q 'IADD3 R[0-9]*, P0, -R[0-9]*, R[0-9]*, RZ'
