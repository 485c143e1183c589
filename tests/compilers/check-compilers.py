#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From the source of each compiler that is installed to a drafted header and its banks.

    check-compilers.py CURED

docs/compilers.md has these steps for people. Skips compilers that are missing, by name.
"""
import os
import shutil
import subprocess
import sys
import tempfile

CLANG = '''
#define __global__ __attribute__ ((global))
#define __shared__ __attribute__ ((shared))
extern "C" __global__ void
turn (float *y, const float *x, int n)
{
  __shared__ float s[64];
  int i = __nvvm_read_ptx_sreg_tid_x ();

  if (i < 64)
    s[i] = i < n ? x[i] : 0;
  __syncthreads ();
  if (i < 64 && i < n)
    y[i] = s[63 - i];
}
'''

NVCC = CLANG.split('extern', 1)[1].replace('__nvvm_read_ptx_sreg_tid_x ()', 'threadIdx.x')

TRITON = '''
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def turn(y, x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.sum(tl.load(x + i, i < n, 0)) + i, i < n)

source = ASTSource(turn, {'y': '*fp32', 'x': '*fp32', 'n': 'i32', 'B': 'constexpr'}, {'B': 256})
print(triton.compile(source, target=GPUTarget('cuda', 90, 32)).asm['ptx'])
'''

NUMBA = '''
from numba import cuda, float32

def turn(y, x):
    s = cuda.shared.array(32, float32)
    i = cuda.grid(1)
    s[i % 32] = x[i] if i < x.size else 0
    cuda.syncthreads()
    if i < y.size:
        y[i] = s[31 - i % 32]

print(cuda.compile_ptx(turn, (float32[::1], float32[::1]), cc=(9, 0))[0])
'''

WARP = '''
import glob, shutil, sys
import warp as wp

wp.config.quiet = True
wp.config.kernel_cache_dir = 'warp'

@wp.kernel
def turn(y: wp.array(dtype=wp.float32), x: wp.array2d(dtype=wp.float32)):
    i, j = wp.tid()
    wp.atomic_add(y, j, x[i, j])

wp.compile_aot_module(sys.modules[__name__], device=None, arch=90, module_dir='warp',
                      use_ptx=True)
shutil.copy(glob.glob('warp/*.ptx')[0], 'warp.out')
'''

HALIDE = '''
import halide as hl

x, y, xi, yi, xo, yo = (hl.Var(name) for name in ('x', 'y', 'xi', 'yi', 'xo', 'yo'))
a = hl.ImageParam(hl.Float(32), 2)
f, g = hl.Func('f'), hl.Func('g')
g[x, y] = a[x, y] * 2.0
f[x, y] = g[x, y] + g[x + 1, y]
f.gpu_tile(x, y, xo, yo, xi, yi, 16, 16)
g.compute_at(f, xo).gpu_threads(x, y)
f.compile_to({hl.OutputFileType.device_code: 'halide.out'}, [a], 'turn',
             hl.Target('x86-64-linux-cuda-cuda_capability_80'))
'''

ZIG = '''
export fn turn(y: [*]align(4) addrspace(.global) f32, x: [*]align(4) addrspace(.global) const f32, n: u32) callconv(.nvptx_kernel) void {
    const i = asm ("mov.u32 %[r], %%tid.x;"
        : [r] "=r" (-> u32),
    );
    if (i < n) y[i] = x[n - 1 - i];
}
'''

CUTE = '''
import cutlass
from cutlass import cute
from cutlass.cute.runtime import make_fake_compact_tensor

@cute.kernel
def turn(y: cute.Tensor, x: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    s = cutlass.memory.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(64), 16)
    s[t] = x[t]
    cute.arch.sync_threads()
    y[t] = s[63 - t]

@cute.jit
def launch(y: cute.Tensor, x: cute.Tensor):
    turn(y, x).launch(grid=(1, 1, 1), block=(64, 1, 1), smem=256)

cute.compile(launch, *(make_fake_compact_tensor(cutlass.Float32, (64,)) for _ in range(2)))
'''

TVM = '''
import tvm
from tvm.script import tirx as T

@T.prim_func
def turn(y: T.Buffer((64,), "float32"), x: T.Buffer((64,), "float32")):
    T.func_attr({"global_symbol": "turn"})
    T.launch_thread("blockIdx.x", 1)
    t = T.launch_thread("threadIdx.x", 64)
    s = T.alloc_buffer((64,), scope="shared")
    s[t] = x[t]
    T.tvm_storage_sync("shared")
    y[t] = s[63 - t]

target = tvm.target.Target({"kind": "cuda", "arch": "sm_90"}, host={"kind": "llvm"})
made = tvm.compile(tvm.IRModule({"turn": turn}), target=target)
print(made.mod.imports[0].inspect_source())
'''

# Without the target's standard library, which few have.
RUST = '''
#![feature(no_core, lang_items, intrinsics, rustc_attrs, abi_ptx, link_llvm_intrinsics)]
#![no_core]
#![crate_type = "lib"]
#[lang = "pointee_sized"] pub trait PointeeSized {}
#[lang = "meta_sized"] pub trait MetaSized: PointeeSized {}
#[lang = "sized"] pub trait Sized: MetaSized {}
#[lang = "copy"] pub trait Copy {}
#[lang = "legacy_receiver"] pub trait LegacyReceiver {}
impl Copy for i32 {}
impl Copy for isize {}
impl Copy for f32 {}
impl<T: PointeeSized> Copy for *const T {}
impl<T: PointeeSized> Copy for *mut T {}
extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"] fn tid() -> i32;
}
#[rustc_intrinsic] pub const unsafe fn arith_offset<T>(from: *const T, n: isize) -> *const T;
#[no_mangle]
pub unsafe extern "ptx-kernel" fn turn(y: *mut f32, x: *const f32) {
    let i = tid() as isize;
    *(arith_offset(y as *const f32, i) as *mut f32) = *arith_offset(x, i);
}
'''

CUPY = '''
import cupy

source = 'extern "C" __global__ void' + """%s"""
x, y = cupy.arange(64, dtype=cupy.float32), cupy.zeros(64, dtype=cupy.float32)
cupy.RawKernel(source, 'turn')((1,), (64,), (y, x, cupy.int32(64)))
assert (y == 63 - x).all()
''' % NVCC.split('void', 1)[1]


def run(*words, source=None, name=None):
    if name is not None:
        with open(name, 'w', encoding='utf-8') as file:
            file.write(source)
    done = subprocess.run(words, capture_output=True, check=False, timeout=600)
    if done.returncode != 0:
        sys.exit('%s:\n%s%s' % (' '.join(words), done.stdout.decode(errors='replace'),
                                done.stderr.decode(errors='replace')))
    return done.stdout


def has(module):
    done = subprocess.run([sys.executable, '-c', 'import ' + module], capture_output=True,
                          check=False)
    return done.returncode == 0


def python(source):
    return run(sys.executable, '-W', 'ignore', 'source.py', source=source, name='source.py')


def command(source, name, words, out):
    run(*words, source=source, name=name)
    with open(out, 'rb') as file:
        return file.read()


def has_rustc():
    """Versions that were tried: the source names inner parts of the language."""
    if not shutil.which('rustc'):
        return False
    version = run('rustc', '--version').decode().split()[1].split('.')
    return version[0] == '1' and 95 <= int(version[1]) <= 97


def cute():
    os.environ.update(CUTE_DSL_ARCH='sm_90a', CUTE_DSL_KEEP='ptx', CUTE_DSL_DUMP_DIR=os.getcwd())
    python(CUTE)
    with open(next(name for name in os.listdir('.') if name.startswith('cutlass_')), 'rb') as file:
        return file.read()


# name, whether it is there, its PTX or CUDA C, words of “cured header”, whether its kernel has banks
COMPILERS = [
    ('nvcc', lambda: shutil.which('nvcc'), lambda: command(
        'extern' + NVCC, 'a.cu', ['nvcc', '-arch=sm_90', '-ptx', 'a.cu', '-o', 'a.out'], 'a.out'),
     [], True),
    ('clang', lambda: shutil.which('clang'), lambda: command(
        CLANG, 'b.cu', ['clang', '-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_80',
                        '-nocudainc', '-nocudalib', '-O2', '-S', 'b.cu', '-o', 'b.out'], 'b.out'),
     [], True),
    ('triton', lambda: has('triton'), lambda: python(TRITON), [], True),
    ('numba', lambda: has('numba.cuda'), lambda: python(NUMBA), [], True),
    ('warp', lambda: has('warp'), lambda: command(
        WARP, 'd.py', [sys.executable, 'd.py'], 'warp.out'), ['--kernel', None], False),
    ('halide', lambda: has('halide'), lambda: command(
        HALIDE, 'e.py', [sys.executable, 'e.py'], 'halide.out'), [], False),
    ('ziglang', lambda: has('ziglang'), lambda: command(
        ZIG, 'c.zig', [sys.executable, '-m', 'ziglang', 'build-obj', 'c.zig', '-target',
                       'nvptx64-cuda', '-mcpu', 'sm_80', '-O', 'ReleaseFast', '-fno-emit-bin',
                       '-femit-asm=c.out'], 'c.out'), [], False),
    ('cutlass', lambda: has('cutlass'), cute, [], True),
    ('tvm', lambda: has('tvm'), lambda: python(TVM), [], True),
    ('rustc', has_rustc, lambda: command(
        RUST, 'f.rs', ['rustc', '--target', 'nvptx64-nvidia-cuda', '-C', 'target-cpu=sm_80', '-O',
                       '--emit=asm', '-o', 'f.out', 'f.rs'], 'f.out'), [], False),
]


def check(cured, name, ptx, words, has_banks):
    path = name + ('.ptx' if b'.version' in ptx else '.cu')
    entry = [word[:-len('(')] for word in ptx.decode(errors='replace').replace('(', '( ').split()
             if word.endswith('_cuda_kernel_forward(')]
    words = [entry[0] if word is None else word for word in words]
    with open('bare-' + path, 'wb') as file:
        file.write(ptx)
    run(cured, 'header', *words, 'bare-' + path, '-o', path)
    done = subprocess.run([cured, 'check', path], capture_output=True, check=False, timeout=600)
    text = done.stdout.decode() + done.stderr.decode()
    # A guessed length may be too short; nothing else may be wrong.
    if done.returncode > 1 or ' failed' in text or 'emulator knows no' in text:
        sys.exit('%s: cured check: %s' % (name, text))
    if has_banks and 'wavefronts' not in run(cured, 'banks', path).decode():
        sys.exit('%s: no banks' % name)
    print('ok', name, flush=True)


def main():
    cured = os.path.abspath(sys.argv[1])
    missing = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.update(TRITON_CACHE_DIR=folder + '/triton', CUPY_CACHE_DIR=folder + '/cupy',
                          RUSTC_BOOTSTRAP='1')
        for name, is_there, compile_it, words, has_banks in COMPILERS:
            if is_there():
                check(cured, name, compile_it(), words, has_banks)
            else:
                missing.append(name)
        # CuPy compiles on a device alone: the emulator is one.
        if has('cupy'):
            run(cured, 'exec', '--save', 'saved', sys.executable, 'g.py', source=CUPY, name='g.py')
            if 'all as their files say' not in run(cured, 'check', 'saved/turn.kernel').decode():
                sys.exit('cupy: its saved launch is not right')
            print('ok cupy', flush=True)
        else:
            missing.append('cupy')
        os.chdir('/')
    if missing:
        print('not installed:', *missing)
    return 77 if len(missing) == len(COMPILERS) + 1 else 0


if __name__ == '__main__':
    sys.exit(main())
