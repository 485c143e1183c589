#!/bin/sh
# SPDX-License-Identifier: MIT
# A register plus a number as an operand.
# The PTX ISA has no such operand outside of an address. ptxas 13.0.88 takes it wherever an integer
# register is read, and puts an addition in front: add.u32 d, a + 5, a is one IADD3. Of elements in
# braces, and of a difference, it takes none.
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

sum=$(assemble "mov.u32 r0, %tid.x; add.u32 r1, r0 + 5, r0; st.global.u32 [b], r1;" 8.0)
product=$(assemble "mov.u32 r0, %tid.x; mul.lo.u32 r1, r0, r0 + 3; st.global.u32 [b], r1;" 8.0)
echo "add.u32 r1, r0 + 5, r0:"
echo "$sum"
echo "mul.lo.u32 r1, r0, r0 + 3:"
echo "$product"
echo "$sum" | grep -q 'IADD3.*0x5'
echo "$product" | grep -q 'IADD3.*0x3'
if assemble "mov.u32 r0, %tid.x; st.global.u32 [b], r0 - 1;" 8.0; then exit 1; fi
if assemble "mov.u32 r0, %tid.x; st.global.v2.u32 [b], {r0 + 1, r0};" 8.0; then exit 1; fi
