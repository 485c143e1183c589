#!/bin/sh
# SPDX-License-Identifier: MIT
# mma.m8n8k4 of halves on sm_90.
# ptxas 13.0.88 assembles Volta's product for sm_90 without any instruction of the tensor cores: a
# subroutine call, additions and multiply-adds of single floats. m16n8k8 is one HMMA.
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

load="ld.global.v4.b32 {r0, r1, r2, r3}, [b]; ld.global.v4.f32 {f0, f1, f2, f3}, [b+16];
    ld.global.v4.f32 {f4, f5, f6, f7}, [b+32];"
store="st.global.v4.f32 [b+64], {f0, f1, f2, f3}; st.global.v4.f32 [b+80], {f4, f5, f6, f7};"
volta=$(assemble "$load mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32
    {f0, f1, f2, f3, f4, f5, f6, f7}, {r0, r1}, {r2, r3}, {f0, f1, f2, f3, f4, f5, f6, f7}; $store" 8.0)
turing=$(assemble "$load mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
    {f0, f1, f2, f3}, {r0, r1}, {r2}, {f4, f5, f6, f7}; $store" 8.0)
for name in volta turing; do
    echo "$name:"
    eval "echo \"\$$name\"" | awk '{ print $1 }' | sort | uniq -c
done
if echo "$volta" | grep -qE '(H|I|Q)MMA\.[0-9]'; then exit 1; fi
echo "$volta" | grep -q CALL
echo "$turing" | grep -q HMMA
