#!/bin/sh
# SPDX-License-Identifier: MIT
# Products of 8-bit floats by one warp on sm_90.
# sm_90 has tensor cores for 8-bit floats, which wgmma reaches. mma.m16n8k32 with .e4m3 does not: ptxas
# 13.0.88 converts its factors to halves and makes two HMMA of them, whose sum the addend joins last, so
# that rounding differs from wgmma's.
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

code=$(assemble "ld.global.v4.b32 {r0, r1, r2, r3}, [b]; ld.global.v2.b32 {r4, r5}, [b+16];
    ld.global.v4.f32 {f0, f1, f2, f3}, [b+32];
    mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
    {f0, f1, f2, f3}, {r0, r1, r2, r3}, {r4, r5}, {f0, f1, f2, f3};
    st.global.v4.f32 [b+64], {f0, f1, f2, f3};" 8.4)
echo "$code" | awk '{ print $1 }' | sort | uniq -c
test "$(echo "$code" | grep -c 'HMMA.*F32')" = 2
test "$(echo "$code" | grep -c 'F2FP.F16.E4M3.UNPACK_B')" = 12
test "$(echo "$code" | grep -c '^FADD')" = 4
