#!/bin/sh
# SPDX-License-Identifier: MIT
# The lesser of a number and itself.
# PTX ISA 9.0, min: where both inputs are NaN, the result is the canonical NaN, 0x7fffffff. ptxas
# 13.0.88 and 13.5.37 drop min.f32 d, x, x and hand x on, with its payload and as a signaling one;
# of two registers with the same contents the instruction stays.
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

same=$(assemble "ld.global.f32 f0, [b]; min.f32 f1, f0, f0; st.global.f32 [b+8], f1;" 8.0)
other=$(assemble "ld.global.v2.f32 {f0, f2}, [b]; min.f32 f1, f0, f2; st.global.f32 [b+8], f1;" 8.0)
echo "min.f32 f1, f0, f0:"
echo "$same"
echo "min.f32 f1, f0, f2:"
echo "$other"
if echo "$same" | grep -q FMNMX; then exit 1; fi
echo "$other" | grep -q FMNMX
