# SPDX-License-Identifier: MIT
# Ten kernels in Triton, whose PTX is test data; dev/compile-python makes it.
import triton
import triton.language as tl


@triton.jit
def vector_add(a, b, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(a + i, mask=inside) + tl.load(b + i, mask=inside),
             mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=-float('inf'))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, values / tl.sum(values, axis=0),
             mask=inside)


@triton.jit
def matmul(a, b, out, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
           TILE_K: tl.constexpr):
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    step = tl.arange(0, TILE_K)
    a += rows[:, None] * k + step[None, :]
    b += step[:, None] * n + columns[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for at in range(0, k, TILE_K):
        x = tl.load(a, mask=(rows[:, None] < m) & (at + step[None, :] < k),
                    other=0.0)
        y = tl.load(b, mask=(at + step[:, None] < k) & (columns[None, :] < n),
                    other=0.0)
        total = tl.dot(x.to(tl.float16), y.to(tl.float16), total)
        a += TILE_K
        b += TILE_K * n
    tl.store(out + rows[:, None] * n + columns[None, :], total,
             mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def layer_norm(x, weight, bias, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(inside, values - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    scaled = centred / tl.sqrt(variance + epsilon)
    scaled = scaled * tl.load(weight + i, mask=inside) + tl.load(bias + i,
                                                                 mask=inside)
    tl.store(out + row * columns + i, scaled, mask=inside)


@triton.jit
def reduction(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0))


@triton.jit
def transpose(x, out, n, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inside = (rows[:, None] < n) & (columns[None, :] < n)
    tile = tl.load(x + rows[:, None] * n + columns[None, :], mask=inside)
    inside = (columns[:, None] < n) & (rows[None, :] < n)
    tl.store(out + columns[:, None] * n + rows[None, :], tl.trans(tile),
             mask=inside)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    keep = tl.rand(seed, i) > p
    values = tl.load(x + i, mask=inside)
    tl.store(out + i, tl.where(keep, values / (1 - p), 0.0), mask=inside)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    values = tl.load(x + i, mask=inside, other=0)
    tl.atomic_add(out + values % BINS, 1, mask=inside)


@triton.jit
def fp8_round(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    values = tl.load(x + i, mask=inside)
    tl.store(out + i, values.to(tl.float8e5).to(tl.float32), mask=inside)


@triton.jit
def stencil(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + i - 1, mask=(i > 0) & (i < n), other=0.0)
    middle = tl.load(x + i, mask=i < n, other=0.0)
    right = tl.load(x + i + 1, mask=i < n - 1, other=0.0)
    mean = (left + middle + right) / 3.0
    tl.store(out + i, tl.where((i > 0) & (i < n - 1), mean, middle), mask=i < n)


# Name, types of the arguments, compile-time values, warps per block.
KERNELS = (
    (vector_add, '*fp32 *fp32 *fp32 i32', {'BLOCK': 256}, 4),
    (softmax, '*fp32 *fp32 i32', {'BLOCK': 256}, 4),
    (matmul, '*fp32 *fp32 *fp32 i32 i32 i32',
     {'TILE_M': 32, 'TILE_N': 32, 'TILE_K': 32}, 4),
    (layer_norm, '*fp32 *fp32 *fp32 *fp32 i32 fp32', {'BLOCK': 256}, 4),
    (reduction, '*i32 *i32 i32', {'BLOCK': 512}, 4),
    (transpose, '*fp32 *fp32 i32', {'TILE': 32}, 4),
    (dropout, '*fp32 *fp32 i32 fp32 i32', {'BLOCK': 256}, 4),
    (histogram, '*i32 *i32 i32', {'BLOCK': 256, 'BINS': 64}, 4),
    (fp8_round, '*fp32 *fp32 i32', {'BLOCK': 256}, 4),
    (stencil, '*fp32 *fp32 i32', {'BLOCK': 256}, 4),
)
