#!/bin/sh
# SPDX-License-Identifier: MIT
# A shift of 16 bits by an immediate of more than 16 bits.
# PTX ISA 9.0: the amount of a shift is a .u32, and one beyond the width counts as the width: shl.b16 by
# 65537 gives 0. ptxas 13.0.88 and 13.5.37 take the low 16 bits of the immediate, without a word: 65536
# shifts by nothing, 65537 by one. The same number in a register gives 0, and so do shifts of 32 bits.
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

install () {
    python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
        --target "$folder/$1" "$1==$2"
}

install nvidia-cuda-nvdisasm 13.5.37

made () { # width, body
    printf '%s\n' ".version 8.0" ".target sm_90" ".address_size 64" \
        ".visible .entry k (.param .u64 p)" "{ .reg .b64 a; .reg .b$1 x, y; .reg .b32 r;" \
        "ld.param.u64 a, [p]; ld.global.b$1 x, [a];" "$2" "st.global.b$1 [a+8], y; ret; }" \
        > "$folder/k.ptx"
    "$folder/nvidia-cuda-nvcc/nvidia/cu13/bin/ptxas" -arch=sm_90 "$folder/k.ptx" -o "$folder/k.cubin"
    "$folder/nvidia-cuda-nvdisasm/nvidia/cu13/bin/nvdisasm" -c "$folder/k.cubin" |
        grep -oE '(SHF|STG)[^;]*' | sed 's/desc\[[^ ]*/[a]/' | tr -s ' \n' ' '
}

expect () { # width, body, what it is
    code=$(made "$1" "$2")
    case $code in
    SHF*) is=shift ;;
    *RZ*) is=zero ;;
    *) is=copy ;;
    esac
    echo "$2 $is: $code"
    [ "$is" = "$3" ]
}

for version in 13.0.88 13.5.37; do
    rm -rf "$folder/nvidia-cuda-nvcc"
    install nvidia-cuda-nvcc $version
    "$folder/nvidia-cuda-nvcc/nvidia/cu13/bin/ptxas" --version | tail -2 | head -1
    expect 16 "shl.b16 y, x, 17;" zero
    expect 16 "shl.b16 y, x, 65536;" copy
    expect 16 "shl.b16 y, x, 65537;" shift
    expect 16 "shr.u16 y, x, 65536;" copy
    expect 16 "mov.b32 r, 65537; shl.b16 y, x, r;" zero
    expect 32 "shl.b32 y, x, 65537;" zero
done
