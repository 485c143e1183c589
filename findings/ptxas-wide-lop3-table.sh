#!/bin/sh
# SPDX-License-Identifier: MIT
# A table of lop3 that is no byte.
# PTX ISA 9.0: immLut of lop3 is an integer constant from 0 to 255. ptxas 13.0.88 takes 0x1e8 and -24
# without a word, and makes of both what it makes of 0xe8, their low byte. The position of bfe, for
# which the ISA has the same range, it refuses from 256 on: "out of range, expected to be in range
# [0..255]".
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$folder/site" nvidia-cuda-nvcc==13.0.88 nvidia-cuda-nvdisasm==13.5.37
bin=$folder/site/nvidia/cu13/bin
"$bin/ptxas" --version | tail -2 | head -1

# The logic that ptxas makes of a kernel with this body; what it says goes to a log.
assemble () {
    printf '%s\n' ".version 8.0" ".target sm_90" ".address_size 64" \
        ".visible .entry k (.param .u64 p)" "{" ".reg .b64 b; .reg .b32 r<9>;" \
        "ld.param.u64 b, [p]; mov.u32 r1, %tid.x; mov.u32 r2, %ntid.x; mov.u32 r3, %ctaid.x;" \
        "$1" "st.global.b32 [b], r0;" "ret;" "}" > "$folder/k.ptx"
    "$bin/ptxas" -arch=sm_90 "$folder/k.ptx" -o "$folder/k.cubin" 2> "$folder/log" || return 1
    "$bin/nvdisasm" -c "$folder/k.cubin" | grep -o 'LOP3[^;]*'
}

byte=$(assemble "lop3.b32 r0, r1, r2, r3, 0xe8;")
for table in 0x1e8 -24; do
    wide=$(assemble "lop3.b32 r0, r1, r2, r3, $table;")
    echo "0xe8: $byte"
    echo "$table: $wide"
    echo "said: $(wc -c < "$folder/log") bytes"
    [ "$wide" = "$byte" ] && [ ! -s "$folder/log" ]
done
if assemble "bfe.u32 r0, r1, 256, r2;"; then exit 1; fi
cat "$folder/log"
grep -q "value '256' out of range" "$folder/log"
