# SPDX-License-Identifier: MIT
"""Texts, and functions of Triton and Numba, as kernels."""
import importlib.util

import cured
import pytest
from conftest import SOURCE

DATA = SOURCE / "tests" / "data" / "kernels" / "compilers"


def load(name):
    spec = importlib.util.spec_from_file_location(name, DATA / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_text():
    """PTX is told from CUDA, and its guesses are mended."""
    text = (DATA / "numba-saxpy-sm_90.ptx").read_text()
    kernel = cured.kernel(text, name="saxpy", grid="ceil(n/128)", block=128,
                          header={"Parameter n": {"Default": 1000}})
    assert kernel.path.name == "saxpy.ptx" and kernel.source == text
    assert "\nGrid=ceil(n/128)\n" in kernel.header and "\nBlock=128\n" in kernel.header
    assert "\nDefault=1000\n" in kernel.header
    checked = cured.check(kernel)
    assert checked and checked.report["kernels"][0]["kernel"] == "saxpy"
    path = kernel.path
    del kernel
    assert not path.exists()


def test_program():
    """What a program of CUDA launches is checked, without a header."""
    text = ("__global__ void scale(float *x, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (i <= n) x[i] *= 2;\n}\n"
            "int main() {\n  float *x;\n  cudaMalloc(&x, 1000 * sizeof(float));\n"
            "  scale<<<4, 256>>>(x, 1000);\n}\n")
    checked = cured.check(text)
    assert [finding["kind"] for finding in checked.findings] == ["out-of-bounds"]
    assert cured.check(text.replace("<=", "<"))


def test_whole_header():
    text = (DATA / "numba-matmul_tiled-sm_90.ptx").read_text()
    header = (DATA / "numba-matmul_tiled.kernel").read_text()
    kernel = cured.kernel(text, header=header.replace("Source=numba-matmul_tiled-sm_90.ptx\n", ""))
    assert "Reference=matmul" in kernel.header
    assert cured.check(kernel, n=[1, 20])


def test_described_text():
    """What describes PTX is no parameter; CUDA has its own header."""
    text = (DATA / "numba-saxpy-sm_90.ptx").read_text()
    assert cured.check(text, name="mine", grid="ceil(n/128)", block=128, n=[1, 50])
    with pytest.raises(cured.Error, match="of its own"):
        cured.kernel("/*! cured\n */\n", grid=1)


def test_triton():
    pytest.importorskip("triton")
    kernels = load("triton_kernels")
    how = {"signature": "*fp32 *fp32 *fp32 i32", "constants": {"BLOCK": 256}}
    lengths = {f"Buffer {name}": {"Length": "n"} for name in ("a", "b", "out")}
    checked = cured.check(kernels.vector_add, **how, grid="ceil(n/256)", header=lengths,
                          n=[1, 1000])
    assert checked and len(checked.report["kernels"][0]["cells"]) == 2
    kernel = cured.kernel(kernels.vector_add, **how, header=lengths, num_warps=8,
                          grid=lambda meta: (4096 // meta["BLOCK"],))
    assert "\nGrid=16\n" in kernel.header and "\nBlock=256\n" in kernel.header
    with pytest.raises(cured.Error, match="signature="):
        cured.check(kernels.vector_add)
    with pytest.raises(cured.Error, match="4 types|expected one for each"):
        cured.check(kernels.vector_add, signature="*fp32 i32", constants={"BLOCK": 256})


def test_triton_banks():
    """Of a compiled kernel; the lines are those of the .py."""
    pytest.importorskip("triton")
    from cured._kernel import compile_triton

    compiled = compile_triton(load("triton_kernels").matmul, "*fp32 *fp32 *fp32 i32 i32 i32",
                              {"TILE_M": 32, "TILE_N": 32, "TILE_K": 32})
    banks = cured.banks(compiled, grid=("ceil(m/32)", "ceil(n/32)"))
    assert banks.conflicts > 0
    assert "tl.load" in banks.sites[0]["source"]


def test_numba():
    pytest.importorskip("numba.cuda")
    from numba import cuda
    from numba.cuda.cudadrv import nvvm

    # Numba loads it only when it compiles, and does not find the one of a newer toolkit.
    try:
        nvvm.NVVM()
    except nvvm.NvvmSupportError as error:
        pytest.skip(f"Numba has no libNVVM: {error}")
    kernels = load("numba_kernels")
    signature = dict((function.__name__, how) for function, how in kernels.KERNELS)["saxpy"]
    for function in (kernels.saxpy, cuda.jit(kernels.saxpy)):
        assert cured.check(function, signature=signature, grid="ceil(n/128)", block=128)
    with pytest.raises(cured.Error, match="signature="):
        cured.check(cuda.jit(kernels.saxpy))


def test_amend():
    from cured._kernel import amend_header

    draft = ("/*! cured\n * [Kernel]\n * Title=Scan\n *\n * [Launch]\n"
             " * Grid=ceil(n/128)  # a guess\n * Block=128  # a guess\n */\n")
    amended = amend_header(draft, {"Launch": {"Grid": (4, "ceil(n/2)")}, "Check": {"Output": "x"}})
    assert amended == ("[Kernel]\nTitle=Scan\n\n[Launch]\nGrid=4,ceil(n/2)\nBlock=128  # a guess\n\n"
                       "[Check]\nOutput=x\n")

