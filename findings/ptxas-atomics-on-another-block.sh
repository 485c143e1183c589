#!/bin/sh
# SPDX-License-Identifier: MIT
# atom and red on another block's shared memory.
# sm_90 has no atomic instruction there for and, or, xor, min and max of 64 bits nor for additions of pairs
# of halves: ATOM's predicate says that nothing was done. ptxas 13.0.88 then asks for shared memory with
# QSPC.E.S, which another block's is not, and falls through to the code for local memory: a load, the
# operation and a store, between which other lanes come. Pairs of halves are added as one integer of 32 bits
# there. On an H200 (driver 580.159.04), a warp that sets 32 bits in either half of a word of the other block
# twice leaves 0001000000010000, and 64 additions of 1.0 to a pair of halves give 7800, not 5400
# (lab/measure-remote.cu 1 1 lost). add.f32 asks with QSPC.E.D, too, and has a loop of ATOM.E.CAST.SPIN.
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$folder/site" "nvidia-cuda-nvcc==${1:-13.0.88}" nvidia-cuda-nvdisasm==13.5.37
bin=$folder/site/nvidia/cu13/bin
"$bin/ptxas" --version | tail -2 | head -1

# What ptxas makes of a kernel with this operation.
assemble () {
    printf '%s\n' ".version 8.0" ".target sm_90" ".address_size 64" \
        ".visible .entry k (.param .u64 p, .param .u32 s)" "{" \
        ".reg .b64 b, c; .reg .b32 r<3>; .reg .f32 f;" \
        "ld.param.u64 b, [p]; ld.param.u32 r1, [s]; ld.global.b64 c, [b]; cvt.u32.u64 r2, c;" \
        "mov.b32 f, r2;" "$1;" "ret;" "}" > "$folder/k.ptx"
    "$bin/ptxas" -arch=sm_90 "$folder/k.ptx" -o "$folder/k.cubin" || return 1
    "$bin/nvdisasm" -c "$folder/k.cubin" | sed -n 's|^ */\*[0-9a-f]*\*/ *||p' |
        grep -E 'ATOM|QSPC|LDS|LD\.|ST\.|ADD|LOP3' | sed 's| */\*.*||'
}

is_same=1
for operation in or.b64 max.u64 add.noftz.f16x2 add.f32; do
    case $operation in
        *64) value=c ;;
        *x2) value=r2 ;;
        *) value=f ;;
    esac
    code=$(assemble "red.shared::cluster.$operation [r1], $value")
    echo "red.shared::cluster.$operation:"
    echo "$code"
    is_atomic=0
    if echo "$code" | grep -q QSPC.E.D; then is_atomic=1; fi
    case $operation in
        add.f32) [ $is_atomic = 1 ] || is_same=0 ;;
        *) [ $is_atomic = 0 ] || is_same=0 ;;
    esac
done
[ $is_same = 1 ]
