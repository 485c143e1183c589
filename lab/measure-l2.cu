// SPDX-License-Identifier: MIT
// How long does one lane wait for a line of L2, and on what of its address does that depend? Times
// single loads past L1 (ld.global.cg), each of which gives the address of the next, and chains of
// loads of one and the same line. Prints a row each: multiprocessor, order of the lines, line, fewest
// and median cycles of a single load, fewest cycles of a load in a chain.
//
// nvcc -O2 -arch=native -o measure-l2 lab/measure-l2.cu
// ./measure-l2 [LINES [MULTIPROCESSORS]] > l2.tsv     1,024 lines, 8 multiprocessors: a second on an H200
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static constexpr int LINE_WORDS = 16;
static constexpr int ROUNDS = 9;
static constexpr int CHAIN = 32;
static constexpr int PART = 1024;

#define CHECK(call) \
  do \
    { \
      cudaError_t status = (call); \
      if (status != cudaSuccess) \
        { \
          fprintf (stderr, "%s: %s\n", #call, cudaGetErrorString (status)); \
          exit (1); \
        } \
    } \
  while (0)

__device__ static uint64_t
load (uint64_t address)
{
  uint64_t next;
  asm volatile ("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(address) : "memory");
  return next;
}

__device__ static uint64_t
read_clock ()
{
  uint64_t cycles;
  asm volatile ("mov.u64 %0, %%clock64;" : "=l"(cycles) : : "memory");
  return cycles;
}

// @first: the first line's address; word 0 of a line is the next line's address, word 1 its own.
// Times of the round @round: line by line, in the order of the chase.
__global__ void
measure (uint64_t first, int n_lines, int sm, int *is_done, uint32_t *single, uint32_t *chained)
{
  __shared__ uint64_t sink;
  __shared__ uint32_t taken[2 * PART];
  uint32_t here;

  asm volatile ("mov.u32 %0, %%smid;" : "=r"(here));
  if ((int) here != sm || atomicExch (is_done, 1) != 0)
    return;
  uint64_t at = first;
  uint32_t out = (uint32_t) __cvta_generic_to_shared (&sink);
  // Warm: the lines, and the translations of their addresses.
  for (int i = 0; i < n_lines; i++)
    at = load (at);
  for (int begin = 0; begin < n_lines; begin += PART)
    {
      int end = begin + PART < n_lines ? begin + PART : n_lines;

      for (int i = begin; i < end; i++)
        {
          uint64_t start = read_clock ();
          uint64_t next = load (at);
          // The store needs what was loaded, so the clock is read behind it.
          asm volatile ("st.volatile.shared.u64 [%0], %1;" ::"r"(out), "l"(next) : "memory");
          taken[i - begin] = (uint32_t) (read_clock () - start);
          uint64_t own = at + 8;
          start = read_clock ();
#pragma unroll
          for (int k = 0; k < CHAIN; k++)
            own = load (own);
          asm volatile ("st.volatile.shared.u64 [%0], %1;" ::"r"(out), "l"(own) : "memory");
          taken[PART + i - begin] = (uint32_t) (read_clock () - start);
          at = next;
        }
      for (int i = begin; i < end; i++)
        {
          single[i] = taken[i - begin];
          chained[i] = taken[PART + i - begin];
        }
    }
}

int
main (int argc, char **argv)
{
  int n_lines = argc > 1 ? atoi (argv[1]) : 1024, n_sms = argc > 2 ? atoi (argv[2]) : 8;
  cudaDeviceProp properties;
  uint64_t *lines;
  uint32_t *single, *chained;
  int *is_done;

  CHECK (cudaGetDeviceProperties (&properties, 0));
  CHECK (cudaMalloc (&lines, (size_t) n_lines * LINE_WORDS * 8));
  CHECK (cudaMalloc (&single, n_lines * 4));
  CHECK (cudaMalloc (&chained, n_lines * 4));
  CHECK (cudaMalloc (&is_done, 4));
  printf ("# %s; lines begin at %p\n", properties.name, (void *) lines);
  printf ("# multiprocessor\torder\tline\tfewest\tmedian\tchained\n");
  for (int is_shuffled = 0; is_shuffled < 2; is_shuffled++)
    {
      std::vector<int> order (n_lines);
      std::vector<uint64_t> words ((size_t) n_lines * LINE_WORDS);
      uint64_t state = 1;

      std::iota (order.begin (), order.end (), 0);
      for (int i = n_lines - 1; i > 0 && is_shuffled; i--)
        {
          state = state * 6364136223846793005ull + 1442695040888963407ull;
          std::swap (order[i], order[(state >> 33) % (i + 1)]);
        }
      for (int i = 0; i < n_lines; i++)
        {
          uint64_t *line = &words[(size_t) order[i] * LINE_WORDS];

          line[0] = (uint64_t) (lines + (size_t) order[(i + 1) % n_lines] * LINE_WORDS);
          line[1] = (uint64_t) (lines + (size_t) order[i] * LINE_WORDS + 1);
        }
      CHECK (cudaMemcpy (lines, words.data (), words.size () * 8, cudaMemcpyHostToDevice));
      for (int s = 0; s < n_sms; s++)
        {
          int sm = s * properties.multiProcessorCount / n_sms;
          std::vector<std::vector<uint32_t>> singles (n_lines);
          std::vector<uint32_t> fewest (n_lines, ~0u), got (n_lines);

          for (int round = 0; round < ROUNDS; round++)
            {
              int done = 0;

              CHECK (cudaMemset (is_done, 0, 4));
              measure<<<4 * properties.multiProcessorCount, 1>>> (
                  (uint64_t) (lines + (size_t) order[0] * LINE_WORDS), n_lines, sm, is_done, single,
                  chained);
              CHECK (cudaDeviceSynchronize ());
              CHECK (cudaMemcpy (&done, is_done, 4, cudaMemcpyDeviceToHost));
              if (done == 0)
                continue;
              CHECK (cudaMemcpy (got.data (), single, n_lines * 4, cudaMemcpyDeviceToHost));
              for (int i = 0; i < n_lines; i++)
                singles[order[i]].push_back (got[i]);
              CHECK (cudaMemcpy (got.data (), chained, n_lines * 4, cudaMemcpyDeviceToHost));
              for (int i = 0; i < n_lines; i++)
                fewest[order[i]] = std::min (fewest[order[i]], got[i]);
            }
          for (int i = 0; i < n_lines && !singles[i].empty (); i++)
            {
              std::sort (singles[i].begin (), singles[i].end ());
              printf ("%d\t%s\t%d\t%u\t%u\t%.1f\n", sm, is_shuffled ? "shuffled" : "ascending", i,
                      singles[i][0], singles[i][singles[i].size () / 2],
                      (double) fewest[i] / CHAIN);
            }
        }
    }
  return 0;
}
