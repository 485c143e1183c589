# SPDX-License-Identifier: MIT
# Five kernels in Numba, whose PTX is test data; dev/compile-python makes it.
from numba import cuda, float32, int32

TILE = 16
THREADS = 128
BINS = 64


def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


def block_sum(x, out):
    shared = cuda.shared.array(THREADS, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            shared[t] += shared[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, shared[0])


def matmul_tiled(a, b, out):
    x = cuda.shared.array((TILE, TILE), float32)
    y = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    n = out.shape[0]
    total = float32(0)
    for at in range(0, n, TILE):
        x[ty, tx] = a[row, at + tx] if row < n and at + tx < n else 0
        y[ty, tx] = b[at + ty, column] if at + ty < n and column < n else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += x[ty, k] * y[k, tx]
        cuda.syncthreads()
    if row < n and column < n:
        out[row, column] = total


def histogram(x, out):
    shared = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if t < BINS:
        shared[t] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(shared, x[i] % BINS, 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(out, t, shared[t])


def transpose(x, out):
    tile = cuda.shared.array((TILE, TILE), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    column = cuda.blockIdx.x * TILE + tx
    row = cuda.blockIdx.y * TILE + ty
    if row < x.shape[0] and column < x.shape[1]:
        tile[ty, tx] = x[row, column]
    cuda.syncthreads()
    column = cuda.blockIdx.y * TILE + tx
    row = cuda.blockIdx.x * TILE + ty
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[tx, ty]


# Function, and its signature.
KERNELS = (
    (saxpy, 'void(float32, float32[::1], float32[::1], float32[::1])'),
    (block_sum, 'void(int32[::1], int32[::1])'),
    (matmul_tiled, 'void(float32[:, ::1], float32[:, ::1], float32[:, ::1])'),
    (histogram, 'void(int32[::1], int32[::1])'),
    (transpose, 'void(float32[:, ::1], float32[:, ::1])'),
)
