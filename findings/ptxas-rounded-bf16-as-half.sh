#!/bin/sh
# SPDX-License-Identifier: MIT
# A bf16 multiply-add that is rounded up.
# PTX ISA 9.0: fma.bf16 has .rn alone. ptxas 13.0.88 takes fma.rp.bf16 without a word, and computes it
# with the numbers read as f16: HADD2.F32, FFMA.RP, F2FP.F16. It also leaves .relu out;
# fma.rn.relu.bf16 is HFMA2.BF16_V2.RELU.
# Exits with 1 where that changed.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip install -q --no-deps --disable-pip-version-check --root-user-action=ignore \
    --target "$folder/site" nvidia-cuda-nvcc==13.0.88 nvidia-cuda-nvdisasm==13.5.37
bin=$folder/site/nvidia/cu13/bin
"$bin/ptxas" --version | tail -2 | head -1

# The arithmetic that ptxas makes of a multiply-add of three halves from memory.
assemble () {
    printf '%s\n' ".version 8.0" ".target sm_90" ".address_size 64" \
        ".visible .entry k (.param .u64 p)" "{" ".reg .b64 b; .reg .b16 h<4>;" \
        "ld.param.u64 b, [p]; ld.global.b16 h0, [b]; ld.global.b16 h1, [b+2]; ld.global.b16 h2, [b+4];" \
        "$1 h3, h0, h1, h2;" "st.global.b16 [b+6], h3;" "ret;" "}" > "$folder/k.ptx"
    "$bin/ptxas" -arch=sm_90 "$folder/k.ptx" -o "$folder/k.cubin" 2> "$folder/log"
    "$bin/nvdisasm" -c "$folder/k.cubin" | grep -oE '(HADD2|HFMA2|FFMA|F2FP?)[.A-Z0-9_]*' | sort -u | xargs
}

for form in fma.rn.bf16 fma.rn.relu.bf16 fma.rp.bf16 fma.rp.relu.bf16; do
    made=$(assemble $form)
    echo "$form: $made; said $(wc -c < "$folder/log") bytes"
    case $form in
    *.rp.*) [ "$made" = "F2FP.F16.F32.PACK_AB FFMA.RP HADD2.F32" ] ;;
    *.relu.*) [ "$made" = "HFMA2.BF16_V2.RELU" ] ;;
    *) [ "$made" = "HFMA2.BF16_V2" ] ;;
    esac
    [ ! -s "$folder/log" ]
done
