#!/bin/sh
# SPDX-License-Identifier: MIT
# The remainder of an absolute value.
# abs.s32 of -2147483648 is -2147483648, and rem.s32 of that by 7 is negative. ptxas 13.0.88 takes what
# abs.s32 gives for a number that is not negative, and leaves the remainder's sign out: on an H200 (driver
# 580.159.04) it is positive. 13.5.37 gives it its sign.
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

code=$(assemble "ld.global.v2.s32 {r0, r1}, [b]; abs.s32 r2, r0; rem.s32 r3, r2, r1;
    st.global.s32 [b+8], r3;" 8.0)
plain=$(assemble "ld.global.v2.s32 {r0, r1}, [b]; rem.s32 r3, r0, r1; st.global.s32 [b+8], r3;" 8.0)
echo "abs.s32 and rem.s32:"
echo "$code"
echo "rem.s32 alone, where the sign is asked for:"
echo "$plain" | grep ISETP.GE
if echo "$code" | grep -q ISETP.GE.AND; then exit 1; fi
echo "$plain" | grep -q ISETP.GE.AND
