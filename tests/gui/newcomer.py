#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many actions a newcomer needs for three tasks, by what a screen reader
hears: a click, a key, or a file that is opened is an action.

usage: newcomer.py [--only=WORD,…] SOURCE PROGRAM COMMAND MAKE-RESULT
                   LOCALE-FOLDER

Exits 77 where the accessibility bus can't be asked.
"""

import re
import sys

import tour as tours
from desk import until

OWN = """#include <cstdio>
#define TILE 16
__global__ void twice (float *x, int n)
{
  __shared__ float tile[TILE];
  int i = blockIdx.x * TILE + threadIdx.x;
  if (i < n)
    {
      tile[threadIdx.x] = x[i];
      x[i] = 2 * tile[threadIdx.x];
    }
}
int main ()
{
  int n = 4096;
  float *x;
  cudaMalloc (&x, n * sizeof (float));
  twice<<<(n + TILE - 1) / TILE, TILE>>> (x, n);
  cudaDeviceSynchronize ();
}
"""

CONFLICT = """/*! cured
 * [Kernel]
 * Title=Turn
 *
 * [Buffer in]
 * Type=f32
 * Length=1024
 * Fill=ramp
 *
 * [Buffer out]
 * Type=f32
 * Length=1024
 * Fill=poison
 *
 * [Launch]
 * Entry=turn
 * Grid=1
 * Block=32,32
 * Arguments=in,out
 */
extern "C" __global__ void
turn (const float *in, float *out)
{
  __shared__ float tile[32][32];

  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads ();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""


class Actions:
    """Counts what a person does, up to what the task may take."""

    def __init__(self, tour, most):
        self.tour = tour
        self.most = most
        self.done = []

    def add(self, what):
        self.done.append(what)
        assert len(self.done) <= self.most, self.done

    def open(self, path=None):
        self.add("open a file")
        return self.tour.start(*[path] if path else [], has_keys=False)

    def press(self, key):
        self.add(key)
        self.tour.press(key)

    def click(self, query):
        self.add(f"click {query}")
        query.program.click(query)

    def activate(self, query):
        self.add(f"activate {query}")
        query.activate()


def write(tour, name, text):
    with open(tour.path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return tour.path(name)


tours.chapters.clear()


@tours.chapter("which cell is best, and why")
def best_and_why(tour):
    actions = Actions(tour, 3)
    main = tour.start()
    row = main.find(re.compile("Sum in two launches"), "list item").wait()
    actions.click(row)
    main.find("Heat Map", "page tab").wait()
    best = main.find("the best", "label")
    if not best.exists:
        actions.press("F9")
    best.wait()
    main.find(re.compile("^block [0-9]+, blocks [0-9]+$"), "label").wait()
    main.find(re.compile("is busy [0-9.]+ % of the time")).wait()


@tours.chapter("an own program to a map of two axes")
def own_map(tour):
    tour.need_nvrtc()
    actions = Actions(tour, 6)
    main = actions.open(write(tour, "own.cu", OWN))
    dialog = tour.program.window("Describe a Kernel")
    use = dialog.find("Use", "button")
    until(lambda: use.is_sensitive, "the draft can't be used")
    actions.press("Return")
    dialog.wait_gone()
    tour.program.focus(main)
    actions.press("ctrl+n")
    dialog = tour.program.window("New Sweep")
    run = dialog.find("Run", "button")
    until(lambda: run.is_sensitive, "it can't be run")
    actions.press("Return")
    dialog.wait_gone()
    tour.program.focus(main)
    main.find(re.compile("Vertical axis"), "combo box").wait()
    main.find(re.compile("Horizontal axis"), "combo box").wait()


@tours.chapter("a bank conflict, found and gone")
def conflict(tour):
    tour.need_nvrtc()
    actions = Actions(tour, 5)
    main = actions.open(write(tour, "turn.cu", CONFLICT))
    excess = main.find(re.compile("^992 excess wavefronts"), "label").wait()
    apply = main.find(re.compile("Apply: One element of padding"), "button").wait()
    actions.activate(apply)
    excess.wait_gone()
    main.find(re.compile("^0 excess wavefronts"), "label").wait()


if __name__ == "__main__":
    sys.exit(tours.main())
