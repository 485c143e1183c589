#!/bin/sh
# SPDX-License-Identifier: MIT
# A fast function of a constant.
# lg2.approx.f32 and its like are one instruction of the special-function unit, whose results differ
# from correctly rounded ones. Of a constant, ptxas 13.5.37 computes them itself, correctly rounded: for
# lg2.approx of 1.5 it stores 0x3f15c01a, as the halves 1.7705078125 and -2.05078125, and the unit of an
# H200 gives 0x3f15c01b. The same line of code returns two numbers.
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

constant=$(assemble "mov.f32 f0, 0f3FC00000; lg2.approx.f32 f1, f0; st.global.f32 [b], f1;" 8.0)
variable=$(assemble "ld.global.f32 f0, [b+4]; lg2.approx.f32 f1, f0; st.global.f32 [b], f1;" 8.0)
echo "lg2.approx.f32 of the constant 1.5:"
echo "$constant"
echo "of a number that is loaded:"
echo "$variable" | tail -3
if echo "$constant" | grep -q MUFU; then exit 1; fi
echo "$constant" | grep -q "1.7705078125, -2.05078125"
echo "$variable" | grep -q MUFU.LG2
