#!/bin/sh
# SPDX-License-Identifier: MIT
# A bit field whose immediate position is past the register's end.
# PTX ISA 9.0, bfe: bits beyond the most significant one of a signed source are its sign. With the
# position in a register, ptxas 13.0.88 shifts the sign in. With the position as an immediate of 32
# or more it stores -1, whatever the source is: 5 gives -1. 13.5.37 shifts the sign in again.
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

immediate=$(assemble "ld.global.s32 r0, [b]; bfe.s32 r1, r0, 40, 8; st.global.s32 [b+4], r1;" 8.0)
register=$(assemble "ld.global.s32 r0, [b]; ld.global.u32 r2, [b+8]; bfe.s32 r1, r0, r2, 8;
    st.global.s32 [b+4], r1;" 8.0)
echo "position 40 as an immediate:"
echo "$immediate"
echo "position in a register:"
echo "$register"
echo "$immediate" | grep -q 'MOV R[0-9]*, 0xffffffff'
if echo "$immediate" | grep -q LDG; then exit 1; fi
echo "$register" | grep -q SGXT
