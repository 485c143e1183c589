#!/bin/sh
# SPDX-License-Identifier: MIT
# The third element of a vector register that has two.
# PTX ISA 9.0: a .v2 register has the elements .x and .y. ptxas 13.0.88 takes .z and .w as well, without a
# word: the store writes a register that nothing has set, where that of .x and .y follows a load. It
# refuses an element of a register that is no vector.
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$folder/site" nvidia-cuda-nvcc==13.0.88 nvidia-cuda-nvdisasm==13.5.37
bin=$folder/site/nvidia/cu13/bin
"$bin/ptxas" --version | tail -2 | head -1

assemble () {
    printf '%s\n' ".version 8.0" ".target sm_90" ".address_size 64" \
        ".visible .entry k (.param .u64 p)" "{" ".reg .b64 b; .reg .v2.b32 v; .reg .b32 r, s;" \
        "ld.param.u64 b, [p]; ld.global.v2.b32 {v.x, v.y}, [b]; ld.global.b32 s, [b+16];" \
        "mov.b32 r, $1; st.global.b32 [b+8], r; ret;" "}" > "$folder/k.ptx"
    "$bin/ptxas" -arch=sm_90 "$folder/k.ptx" -o "$folder/k.cubin" > "$folder/log" 2>&1 || return 0
    [ -s "$folder/log" ] || "$bin/nvdisasm" -c "$folder/k.cubin" | grep -oE '(LDG|STG|MOV R[0-9]+, 0x0)[^;]*' |
        sed 's/desc.*64/ [b/' | xargs
}

for element in v.x v.y v.z v.w s.x; do
    made=$(assemble $element)
    echo "$element: ${made:-$(head -1 "$folder/log" | sed 's/.*line/line/')}"
    case $element in
    v.[zw]) case $made in *LDG*) exit 1 ;; STG*) ;; *) exit 1 ;; esac ;;
    v.[xy]) case $made in *LDG*STG*) ;; *) exit 1 ;; esac ;;
    s.x) [ -z "$made" ] ;;
    esac
done
