// SPDX-License-Identifier: MIT
// What does one access of a warp to another block's shared memory cost? Times accesses in a stream
// (clock64, many minus few), for patterns of addresses made from a seed, and prints a line each:
// access, blocks in the cluster, who accesses whom, warps, active mask, addresses, cycles of one
// access in the fastest block and in the slowest. A block's number in the cluster, counted from the
// accessing block, is address / 65536.
//
// nvcc -O2 -arch=native -o measure-remote lab/measure-remote.cu
// ./measure-remote [PATTERNS [SEED [ONLY]]] > remote.tsv     400 patterns of each access: half a minute
// on an H200. ONLY is “ladders” (of lanes and places), “pairs” (of lines), “copies”, or what the name
// of an access begins with; after “few:”, of few lines, banks and places, and after “any:”, of any, by 16
// and by 32 warps. “lost” shows what a warp's operations on one place make of 0, and what they should.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static constexpr int LANES = 32;
static constexpr int SHARED_BYTES = 32768;
static constexpr int BLOCK_STEP = 65536;
static constexpr int UNROLL = 16;
static constexpr int FEW = 2;
static constexpr int REPEATS = 3;
// A barrier counts fewer than 2^20 bytes.
static constexpr int MAX_SENT = (1 << 20) - 1;
static constexpr int MAX_BLOCKS = 16;

#define CHECK(call) \
  do \
    { \
      cudaError_t status = (call); \
      if (status != cudaSuccess) \
        { \
          fprintf (stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString (status)); \
          exit (1); \
        } \
    } \
  while (0)

// Who accesses whom.
enum Traffic
{
  ONE,  // the first block the addressed one
  RING, // each block the next, or the one as many further as the address says
  ALL,  // all others the first
  N_TRAFFICS
};
static const char *const traffic_names[] = { "one", "ring", "all" };

struct Pattern
{
  uint32_t mask, addresses[LANES];
};

// Of each block, the least cycles of few and of many accesses.
struct Timing
{
  uint32_t few[MAX_BLOCKS], many[MAX_BLOCKS], sms;
};

#define LOAD(id, bytes, order, type, reg, r_type) \
  struct id \
  { \
    static constexpr int width = bytes, is_async = 0, is_loop = 0; \
    __device__ static uint32_t go (uint32_t a, uint32_t, uint32_t) \
    { \
      r_type r; \
      asm volatile ("ld." order "shared::cluster." type " %0, [%1];" : "=" reg (r) : "r"(a)); \
      return (uint32_t) (r ^ (uint64_t) r >> 32); \
    } \
  };
LOAD (ld_relaxed_b32, 4, "relaxed.cluster.", "b32", "r", uint32_t)
LOAD (ld_b8, 1, "volatile.", "u8", "r", uint32_t)
LOAD (ld_b16, 2, "volatile.", "u16", "h", uint16_t)
LOAD (ld_b32, 4, "volatile.", "u32", "r", uint32_t)
LOAD (ld_b64, 8, "volatile.", "u64", "l", uint64_t)
struct ld_b128
{
  static constexpr int width = 16, is_async = 0, is_loop = 0;
  __device__ static uint32_t go (uint32_t a, uint32_t, uint32_t)
  {
    uint32_t r, s, t, u;
    asm volatile ("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                  : "=r"(r), "=r"(s), "=r"(t), "=r"(u)
                  : "r"(a));
    return r ^ s ^ t ^ u;
  }
};

#define SEND_AS(id, bytes, async, loop, text) \
  struct id \
  { \
    static constexpr int width = bytes, is_async = async, is_loop = loop; \
    __device__ static uint32_t go (uint32_t a, uint32_t v, uint32_t bar) \
    { \
      uint64_t w = (uint64_t) v << 32 | v; \
      asm volatile ("{ .reg .b16 h; .reg .b8 c; .reg .f32 f; cvt.u16.u32 h, %1;\n" text "\n}" ::"r"( \
                        a), \
                    "r"(v), "l"(w), "r"(bar), "f"((float) v), "d"((double) v) \
                    : "memory"); \
      return 0; \
    } \
  };
#define SEND(id, bytes, async, text) SEND_AS (id, bytes, async, 0, text)
SEND (st_b8, 1, 0, "st.volatile.shared::cluster.u8 [%0], h;")
SEND (st_b16, 2, 0, "st.volatile.shared::cluster.u16 [%0], h;")
SEND (st_b32, 4, 0, "st.volatile.shared::cluster.u32 [%0], %1;")
SEND (st_b64, 8, 0, "st.volatile.shared::cluster.u64 [%0], %2;")
SEND (st_b128, 16, 0, "st.volatile.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};")
SEND (red_add_u32, 4, 0, "red.shared::cluster.add.u32 [%0], %1;")
SEND (red_inc_u32, 4, 0, "red.shared::cluster.inc.u32 [%0], %1;")
SEND (red_min_s32, 4, 0, "red.shared::cluster.min.s32 [%0], %1;")
SEND (red_xor_b32, 4, 0, "red.shared::cluster.xor.b32 [%0], %1;")
SEND (red_add_u64, 8, 0, "red.shared::cluster.add.u64 [%0], %2;")
SEND (red_or_b64, 8, 0, "red.shared::cluster.or.b64 [%0], %2;")
SEND (red_max_u64, 8, 0, "red.shared::cluster.max.u64 [%0], %2;")
SEND (red_add_f16x2, 4, 0, "red.shared::cluster.add.noftz.f16x2 [%0], %1;")
SEND_AS (red_add_f32, 4, 0, 1, "red.shared::cluster.add.f32 [%0], %4;")
SEND_AS (red_add_f64, 8, 0, 1, "red.shared::cluster.add.f64 [%0], %5;")
SEND (st_async_b32, 4, 1,
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%3];")
SEND (st_async_b64, 8, 1,
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %2, [%3];")
SEND (st_async_v2_b32, 8, 1,
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %1}, [%3];")
SEND (st_async_v4_b32, 16, 1,
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%3];")
SEND (red_async_add_u32, 4, 1,
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, "
      "[%3];")
SEND (red_async_min_s32, 4, 1,
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.s32 [%0], %1, "
      "[%3];")
SEND (red_async_or_b32, 4, 1,
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [%0], %1, "
      "[%3];")
SEND (red_async_add_u64, 8, 1,
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %2, "
      "[%3];")

#define ATOM_AS(id, bytes, loop, text, reg, r_type) \
  struct id \
  { \
    static constexpr int width = bytes, is_async = 0, is_loop = loop; \
    __device__ static uint32_t go (uint32_t a, uint32_t v, uint32_t) \
    { \
      r_type r; \
      asm volatile (text : "=" reg (r) : "r"(a), reg ((r_type) v), reg ((r_type) (v + 1)) : "memory"); \
      return (uint32_t) ((uint64_t) r ^ (uint64_t) r >> 32); \
    } \
  };
#define ATOM(id, bytes, text, reg, r_type) ATOM_AS (id, bytes, 0, text, reg, r_type)
ATOM (atom_add_u32, 4, "atom.shared::cluster.add.u32 %0, [%1], %2;", "r", uint32_t)
ATOM (atom_exch_b32, 4, "atom.shared::cluster.exch.b32 %0, [%1], %2;", "r", uint32_t)
ATOM (atom_exch_b64, 8, "atom.shared::cluster.exch.b64 %0, [%1], %2;", "l", uint64_t)
ATOM (atom_cas_b32, 4, "atom.shared::cluster.cas.b32 %0, [%1], %2, %3;", "r", uint32_t)
ATOM (atom_cas_b64, 8, "atom.shared::cluster.cas.b64 %0, [%1], %2, %3;", "l", uint64_t)
ATOM (atom_add_u64, 8, "atom.shared::cluster.add.u64 %0, [%1], %2;", "l", uint64_t)
ATOM (atom_xor_b32, 4, "atom.shared::cluster.xor.b32 %0, [%1], %2;", "r", uint32_t)
ATOM_AS (atom_add_f32, 4, 1, "atom.shared::cluster.add.f32 %0, [%1], %2;", "f", float)
ATOM_AS (atom_cas_b16, 2, 1, "atom.shared::cluster.cas.b16 %0, [%1], %2, %3;", "h", uint16_t)

__device__ static uint32_t
get_rank ()
{
  uint32_t rank;
  asm volatile ("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ static uint32_t
get_size ()
{
  uint32_t size;
  asm volatile ("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

__device__ static uint32_t
map (uint32_t address, uint32_t rank)
{
  uint32_t mapped;
  asm volatile ("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

__device__ static void
meet ()
{
  asm volatile ("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

__device__ static void
wait (uint32_t barrier, uint32_t parity)
{
  long long start = clock64 ();

  // What does not arrive within seconds never does: an error, and no hang.
  for (uint32_t is_over = 0; !is_over;)
    {
      asm volatile ("{ .reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                    "selp.u32 %0, 1, 0, p;\n}"
                    : "=r"(is_over)
                    : "r"(barrier), "r"(parity)
                    : "memory");
      if (clock64 () - start > 1ll << 33)
        __trap ();
    }
}

template <class Op>
__global__ void __launch_bounds__ (1024)
measure (const Pattern *patterns, int n_patterns, int traffic, int many, Timing *timings,
         uint32_t *sink)
{
  __shared__ __align__ (1024) unsigned char memory[SHARED_BYTES];
  __shared__ __align__ (8) unsigned long long done;
  uint32_t base = (uint32_t) __cvta_generic_to_shared (memory);
  uint32_t barrier = (uint32_t) __cvta_generic_to_shared (&done);
  uint32_t rank = get_rank (), size = get_size (), lane = threadIdx.x % LANES, sum = 0, sm;
  uint32_t parity = 0, warps = blockDim.x / LANES;
  bool is_source = traffic == ONE ? rank == 0 : traffic == RING ? true : rank != 0;
  // Whom this block gets accesses from; patterns of st.async address the next block alone.
  uint32_t n_sources = traffic == ONE ? rank == 1 : traffic == RING ? 1 : rank == 0 ? size - 1 : 0;

  asm volatile ("mov.u32 %0, %%smid;" : "=r"(sm));
  for (int i = threadIdx.x; i < SHARED_BYTES / 4; i += blockDim.x)
    ((uint32_t *) memory)[i] = i;
  if (threadIdx.x == 0)
    asm volatile ("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  meet ();
  for (int p = 0; p < n_patterns; p++)
    {
      uint32_t mask = patterns[p].mask, address = patterns[p].addresses[lane];
      uint32_t target = traffic == ALL ? 0 : (rank + address / BLOCK_STEP) % size;
      uint32_t there = map (base + address % BLOCK_STEP, target), bar = map (barrier, target);
      bool is_active = is_source && (mask >> lane & 1) != 0;

      for (int repeat = 0; repeat < REPEATS; repeat++)
        for (int is_many = 0; is_many < 2; is_many++)
          {
            int times = is_many ? many : FEW;

            if (Op::is_async && n_sources > 0 && threadIdx.x == 0)
              asm volatile ("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                            "r"(times * UNROLL * warps * __popc (mask) * Op::width * n_sources)
                            : "memory");
            meet ();
            long long start = clock64 ();
            if (is_active)
#pragma unroll 1
              for (int i = 0; i < times; i++)
                {
                  uint32_t got[UNROLL];
#pragma unroll
                  for (int j = 0; j < UNROLL; j++)
                    got[j] = Op::go (there, lane + 1 + j, bar);
#pragma unroll
                  for (int j = 0; j < UNROLL; j++)
                    sum ^= got[j];
                }
            if (!Op::is_async)
              asm volatile ("fence.acq_rel.cluster;" ::: "memory");
            else if (n_sources > 0)
              {
                wait (barrier, parity);
                parity ^= 1;
              }
            __syncthreads ();
            uint32_t cycles = (uint32_t) (clock64 () - start);
            // Of st.async the clock of the block that waits for its arrival.
            if (threadIdx.x == 0 && (Op::is_async ? n_sources > 0 : is_source))
              {
                Timing *timing = &timings[p];
                uint32_t *slot = is_many ? &timing->many[rank] : &timing->few[rank];

                *slot = min (*slot, cycles);
                if (rank < 2)
                  atomicOr (&timing->sms, sm << 16 * rank);
              }
            meet ();
          }
    }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---- Patterns ----

static uint64_t state = 1;

static uint32_t
pick (uint32_t n)
{
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t) (state >> 33) % n;
}

static uint32_t
pick_mask ()
{
  uint32_t mask = 0;

  switch (pick (8))
    {
    case 0:
      mask = 1u << pick (32);
      break;
    case 1:
      mask = 0xffffu << 16 * pick (2);
      break;
    case 2:
      mask = 0xffu << 8 * pick (4);
      break;
    case 3:
      mask = 0xffffffffu >> pick (32);
      break;
    case 4:
      for (int i = 0; i < 32; i++)
        mask |= (uint32_t) (pick (2) == 0) << i;
      break;
    case 5:
      for (int i = 0; i < 32; i++)
        mask |= (uint32_t) (pick (4) == 0) << i;
      break;
    case 6:
      mask = 0x55555555u << pick (2);
      break;
    default:
      mask = ~(1u << pick (32));
    }
  return mask == 0 ? 1 : mask;
}

// Element numbers of the lanes, of which a block has @n.
static void
pick_elements (uint32_t *elements, uint32_t n, uint32_t width)
{
  uint32_t line = 128 / width, sector = width < 32 ? 32 / width : 1, a, b, c;

  switch (pick (14))
    {
    case 0: // a stride
      a = 1 + pick (pick (2) ? 8 : 48);
      b = pick (line);
      for (int i = 0; i < LANES; i++)
        elements[i] = b + i * a;
      break;
    case 1: // a stride in lines or parts of one
      a = (line >> pick (5));
      a = a == 0 ? 1 : a;
      b = pick (line);
      for (int i = 0; i < LANES; i++)
        elements[i] = b + i * a;
      break;
    case 2: // anywhere in a window
      a = line << pick (9);
      for (int i = 0; i < LANES; i++)
        elements[i] = pick (a);
      break;
    case 3: // neighbours, shuffled
      b = pick (line);
      for (int i = 0; i < LANES; i++)
        elements[i] = b + i;
      for (int i = LANES - 1; i > 0; i--)
        std::swap (elements[i], elements[pick (i + 1)]);
      break;
    case 4: // few places, each for as many lanes
      a = 1u << pick (6);
      b = pick (2) ? line : 1 + pick (2 * line);
      c = pick (line);
      for (int i = 0; i < LANES; i++)
        elements[i] = c + i % a * b;
      break;
    case 5: // few places, in runs of lanes
      a = 1u << pick (6);
      b = pick (2) ? line : 1 + pick (2 * line);
      c = pick (line);
      for (int i = 0; i < LANES; i++)
        elements[i] = c + i / a * b;
      break;
    case 6: // few places, at random
      a = 1 + pick (32);
      b = line << pick (7);
      for (int i = 0; i < LANES; i++)
        elements[i] = i < (int) a ? pick (b) : elements[pick (a)];
      break;
    case 7: // rows of a tile
      a = 1u << pick (6);
      b = a + pick (3 * line);
      c = pick (line);
      for (int i = 0; i < LANES; i++)
        elements[i] = c + i % a + i / a * b;
      break;
    case 8: // whole sectors
      a = 1 + pick (8);
      for (int i = 0; i < LANES; i++)
        elements[i] = i % sector == 0 ? pick (64 * line / sector) * sector
                                      : elements[i - 1] + 1;
      break;
    case 9: // whole sectors of few lines
      a = 1 + pick (6);
      for (int i = 0; i < LANES; i++)
        elements[i] = i % sector == 0 ? pick (a * line / sector) * sector : elements[i - 1] + 1;
      break;
    case 10: // groups of neighbours
      a = 1u << pick (4);
      for (int i = 0; i < LANES; i++)
        elements[i] = i % a == 0 ? pick (64 * line) : elements[i - 1] + 1;
      break;
    case 11: // swizzled columns
      a = 1u << pick (3);
      for (int i = 0; i < LANES; i++)
        elements[i] = i * line + (pick (2) ? (i * a) % line : i % line);
      break;
    case 12: // one place, and others
      a = pick (n);
      b = 1 + pick (32);
      for (int i = 0; i < LANES; i++)
        elements[i] = pick (32) < b ? a : pick (64 * line);
      break;
    default: // neighbours with a shift, and one lane elsewhere
      b = pick (line);
      for (int i = 0; i < LANES; i++)
        elements[i] = b + i;
      elements[pick (32)] = pick (64 * line);
    }
  for (int i = 0; i < LANES; i++)
    elements[i] %= n;
}

// @reach: blocks among which the lanes may choose; @first: 1 for another's, 0 for one's own as well
static std::vector<Pattern>
make_patterns (int n, uint32_t width, uint32_t first, uint32_t reach)
{
  std::vector<Pattern> patterns (n);

  for (Pattern &pattern : patterns)
    {
      uint32_t elements[LANES], kind = pick (3);
      uint32_t one = first + pick (reach);

      pattern.mask = pick (3) == 0 ? pick_mask () : 0xffffffffu;
      pick_elements (elements, SHARED_BYTES / width, width);
      for (int i = 0; i < LANES; i++)
        {
          uint32_t block = kind == 0   ? one
                           : kind == 1 ? first + pick (reach)
                                       : first + i * reach / LANES;

          pattern.addresses[i] = block * BLOCK_STEP + elements[i] * width;
        }
    }
  return patterns;
}

// Lanes in two lines, @step bytes apart: @first of them in @line, @second in any other.
static std::vector<Pattern>
make_pairs (uint32_t line, int first, int second, int step)
{
  std::vector<Pattern> patterns;

  for (uint32_t other = 0; other < SHARED_BYTES / 128; other++)
    {
      Pattern pattern = {};

      for (int i = 0; i < LANES; i++)
        pattern.addresses[i] = BLOCK_STEP + (i < first ? line * 128 + i * step
                                                       : other * 128 + (i - first) * step);
      pattern.mask = (1u << (first + second)) - 1;
      if (other != line)
        patterns.push_back (pattern);
    }
  return patterns;
}

// What costs more the more of it there is: lanes at @places places, in turn or in runs, that are in
// lines of their own or in one, in one bank or in several; and one of these places for others beside.
static std::vector<Pattern>
make_ladders (uint32_t width)
{
  std::vector<Pattern> patterns;

  for (uint32_t lanes = 1; lanes <= LANES; lanes++)
    for (uint32_t places : { 1u, 2u, 3u, 4u, 8u, lanes })
      for (uint32_t step : { width, 32u, 128u, 128u + width, 512u, 896u })
        for (int is_in_turn = 0; is_in_turn < 2; is_in_turn++)
          {
            Pattern pattern = {};
            bool is_all = places == lanes;

            if (places > lanes || (is_all && is_in_turn) || (places == 1 && step != width) ||
                (lanes > 8 && lanes % 4 != 0 && lanes != 31))
              continue;
            for (uint32_t i = 0; i < LANES; i++)
              pattern.addresses[i] =
                  BLOCK_STEP + (is_in_turn ? i % places : i * places / lanes % places) * step;
            pattern.mask = 0xffffffffu >> (LANES - lanes);
            patterns.push_back (pattern);
          }
  for (uint32_t same = 1; same < LANES; same += 3)
    for (uint32_t step : { width, 128u, 128u + width })
      {
        Pattern pattern = {};

        for (uint32_t i = 0; i < LANES; i++)
          pattern.addresses[i] = BLOCK_STEP + 4096 + (i < same ? 0 : 1 + i - same) * step;
        pattern.mask = 0xffffffffu;
        patterns.push_back (pattern);
      }
  return patterns;
}

// Lanes in few lines and banks, alone or many at a place: what of an access costs what.
static std::vector<Pattern>
make_few (int n, uint32_t width)
{
  std::vector<Pattern> patterns (n);

  for (Pattern &pattern : patterns)
    {
      uint32_t lines[LANES], places[LANES], n_lines = 1 + pick (pick (2) ? 4 : 16);
      uint32_t n_lanes = pick (3) == 0 ? LANES : 1 + pick (LANES);
      uint32_t n_places = pick (2) ? LANES : 1 + pick (8);
      uint32_t n_columns = std::min (128 / width, 1u << pick (8)), kind = pick (4);

      for (uint32_t &line : lines)
        line = pick (SHARED_BYTES / 128);
      for (uint32_t &place : places)
        {
          uint32_t column = pick (n_columns) * (128 / width / n_columns);

          // Neighbours, or columns that are the same for all lines, or any.
          column = kind == 0 ? pick (n_columns) : kind == 1 ? column : pick (128 / width);
          place = lines[pick (n_lines)] * 128 + column * width;
        }
      if (kind == 3)
        std::sort (places, places + n_places);
      for (uint32_t i = 0; i < LANES; i++)
        pattern.addresses[i] = BLOCK_STEP + (n_places == LANES ? places[i] : places[pick (n_places)]);
      pattern.mask = 0xffffffffu >> (LANES - n_lanes);
      if (pick (4) == 0)
        pattern.mask &= pick_mask ();
      if (pattern.mask == 0)
        pattern.mask = 1;
    }
  return patterns;
}

template <class Op>
static void
run (const char *name, const std::vector<Pattern> &patterns, int cluster, Traffic traffic, int warps)
{
  Pattern *there;
  Timing *timings;
  uint32_t *sink;
  std::vector<Timing> got (patterns.size ());
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute;

  if (Op::is_async)
    while (warps > 1 && 3 * FEW * UNROLL * warps * LANES * Op::width *
                            (traffic == ALL ? cluster - 1 : 1) > MAX_SENT)
      warps /= 2;
  int many = FEW + std::max (4, (Op::is_loop ? 64 : 512) / warps);

  for (Timing &one : got)
    {
      memset (&one, 0xff, sizeof one);
      one.sms = 0;
    }
  if (Op::is_async)
    while (many > FEW + 1 && many * UNROLL * warps * LANES * Op::width *
                               (traffic == ALL ? cluster - 1 : 1) > MAX_SENT)
      many--;
  CHECK (cudaMalloc (&there, patterns.size () * sizeof (Pattern)));
  CHECK (cudaMalloc (&timings, patterns.size () * sizeof (Timing)));
  CHECK (cudaMalloc (&sink, cluster * warps * LANES * sizeof (uint32_t)));
  CHECK (cudaMemcpy (there, patterns.data (), patterns.size () * sizeof (Pattern),
                     cudaMemcpyHostToDevice));
  CHECK (cudaMemcpy (timings, got.data (), got.size () * sizeof (Timing), cudaMemcpyHostToDevice));
  CHECK (cudaFuncSetAttribute (measure<Op>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  config.gridDim = cluster;
  config.blockDim = warps * LANES;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaError_t status =
      cudaLaunchKernelEx (&config, measure<Op>, (const Pattern *) there, (int) patterns.size (),
                          (int) traffic, many, timings, sink);
  if (status != cudaSuccess)
    {
      fprintf (stderr, "%s, %d blocks: %s\n", name, cluster, cudaGetErrorString (status));
      cudaGetLastError ();
      return;
    }
  CHECK (cudaDeviceSynchronize ());
  CHECK (cudaMemcpy (got.data (), timings, got.size () * sizeof (Timing), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < patterns.size (); i++)
    {
      double least = INFINITY, most = 0;

      for (int block = 0; block < MAX_BLOCKS; block++)
        if (got[i].many[block] != 0xffffffffu)
          {
            double cycles = ((double) got[i].many[block] - got[i].few[block]) /
                            ((many - FEW) * UNROLL * warps);

            least = std::min (least, cycles);
            most = std::max (most, cycles);
          }
      printf ("%s\t%d\t%s\t%d\t%08x\t", name, cluster, traffic_names[traffic], warps,
              patterns[i].mask);
      for (int lane = 0; lane < LANES; lane++)
        printf ("%s%u", lane == 0 ? "" : ",", patterns[i].addresses[lane]);
      printf ("\t%.3f\t%u,%u\t%.3f\n", least, got[i].sms & 0xffff, got[i].sms >> 16, most);
    }
  fflush (stdout);
  CHECK (cudaFree (there));
  CHECK (cudaFree (timings));
  CHECK (cudaFree (sink));
  fprintf (stderr, "%s %d %s %d\n", name, cluster, traffic_names[traffic], warps);
}

// What one access is measured with: one block and its neighbour, then other warps, clusters and
// traffic with fewer patterns, one's own memory, and lanes that address different blocks.
template <class Op>
static void
run_all (const char *name, int n)
{
  int few = std::max (20, n / 25);

  run<Op> (name, make_patterns (n, Op::width, 1, 1), 2, ONE, 16);
  run<Op> (name, make_patterns (n / 3, Op::width, 1, 1), 2, RING, 16);
  for (int warps : { 1, 2, 4, 8, 32 })
    run<Op> (name, make_patterns (few, Op::width, 1, 1), 2, ONE, warps);
  for (int cluster : { 2, 4, 8, 16 })
    {
      run<Op> (name, make_patterns (few, Op::width, 1, 1), cluster, RING, 16);
      run<Op> (name, make_patterns (few, Op::width, 1, 1), cluster, ONE, 16);
      run<Op> (name, make_patterns (few, Op::width, 1, 1), cluster, ALL, 16);
    }
  if (Op::is_async)
    return;
  run<Op> (name, make_patterns (few, Op::width, 0, 1), 2, ONE, 16);
  run<Op> (name, make_patterns (few, Op::width, 0, 2), 2, ONE, 16);
  run<Op> (name, make_patterns (2 * few, Op::width, 1, 3), 4, ONE, 16);
  run<Op> (name, make_patterns (2 * few, Op::width, 0, 8), 8, ONE, 16);
}

// ---- What is lost where an operation is not atomic ----

template <class Op>
__global__ void
lose (bool is_half, unsigned long long *got)
{
  __shared__ unsigned long long place;

  place = 0;
  meet ();
  for (int i = 0; i < 2 && get_rank () == 0; i++)
    Op::go (map ((uint32_t) __cvta_generic_to_shared (&place), 1),
            is_half ? 0x3c003c00 : 1u << threadIdx.x, 0);
  meet ();
  if (get_rank () == 1)
    *got = place;
}

template <class Op>
static void
run_lose (const char *name, bool is_half, unsigned long long right)
{
  unsigned long long *there, got;
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute;

  CHECK (cudaMalloc (&there, sizeof *there));
  config.gridDim = attribute.val.clusterDim.x = 2;
  config.blockDim = LANES;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK (cudaLaunchKernelEx (&config, lose<Op>, is_half, there));
  CHECK (cudaMemcpy (&got, there, sizeof got, cudaMemcpyDeviceToHost));
  printf ("%s\t%016llx\t%016llx\n", name, got, right);
  CHECK (cudaFree (there));
}

// ---- Bulk copies: to another block's shared memory, and from global memory to several blocks ----

// One lane of each warp of the first block, or of all blocks, copies. @mask: the blocks of a multicast,
// or 0 for a copy from a block's own shared memory to the next one's
__global__ void
copy (const unsigned char *global, uint32_t bytes, uint32_t offset, uint32_t mask, int is_all, int few,
      int many, Timing *timing)
{
  extern __shared__ __align__ (1024) unsigned char copied[];
  __shared__ __align__ (8) unsigned long long done[MAX_BLOCKS];
  uint32_t base = (uint32_t) __cvta_generic_to_shared (copied);
  uint32_t barrier = (uint32_t) __cvta_generic_to_shared (done);
  uint32_t rank = get_rank (), size = get_size (), parity = 0, warps = blockDim.x / LANES;
  uint32_t sources = 0;

  for (uint32_t i = 0; i < (is_all ? size : 1); i++)
    if (mask != 0 ? (mask >> rank & 1) != 0 : (i + 1) % size == rank)
      sources |= 1u << i;
  for (uint32_t i = 0; i < MAX_BLOCKS && threadIdx.x == 0; i++)
    asm volatile ("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier + 8 * i) : "memory");
  meet ();
  for (int repeat = 0; repeat < 2 * REPEATS; repeat++)
    for (int is_many = 0; is_many < 2; is_many++)
      {
        int times = is_many ? many : few;

        for (uint32_t i = 0; i < MAX_BLOCKS && threadIdx.x == 0; i++)
          if ((sources >> i & 1) != 0)
            asm volatile (
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier + 8 * i),
                "r"(times * warps * bytes)
                : "memory");
        meet ();
        long long start = clock64 ();
        if ((is_all || rank == 0) && threadIdx.x % LANES == 0)
          for (int i = 0; i < times; i++)
            {
              // Copies alternate between two places, so that none has to wait for the other.
              uint32_t half = (i + threadIdx.x / LANES + rank) % 2 * 32768;
              uint32_t here = base + offset + half, bar = barrier + 8 * rank;

              if (mask != 0)
                asm volatile (
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                    ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(here),
                    "l"(global + half), "r"(bytes), "r"(bar), "h"((uint16_t) mask)
                    : "memory");
              else
                asm volatile (
                    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                    "[%1], %2, [%3];" ::"r"(map (here, (rank + 1) % size)),
                    "r"(base + half), "r"(bytes), "r"(map (bar, (rank + 1) % size))
                    : "memory");
            }
        for (uint32_t i = 0; i < MAX_BLOCKS; i++)
          if ((sources >> i & 1) != 0)
            wait (barrier + 8 * i, parity);
        parity ^= 1;
        __syncthreads ();
        uint32_t cycles = (uint32_t) (clock64 () - start);
        if (threadIdx.x == 0 && sources != 0)
          {
            uint32_t *slot = is_many ? &timing->many[rank] : &timing->few[rank];

            *slot = min (*slot, cycles);
          }
        meet ();
      }
}

// A line each: blocks, mask, bytes, offset, warps that copy, blocks that do, cycles of one copy in the
// slowest block that waits for it.
static void
copy_one (const unsigned char *global, Timing *timing, int cluster, uint32_t mask, uint32_t bytes,
          uint32_t offset, int warps, bool is_all)
{
  Timing got;
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute;
  int few = 2, many = std::min (few + 200 / warps, (int) (MAX_SENT / bytes) / warps);
  double cycles = 0;

  memset (&got, 0xff, sizeof got);
  CHECK (cudaMemcpy (timing, &got, sizeof got, cudaMemcpyHostToDevice));
  config.gridDim = cluster;
  config.blockDim = LANES * warps;
  config.dynamicSmemBytes = 66560;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaError_t status = cudaLaunchKernelEx (&config, copy, global, bytes, offset, mask, (int) is_all,
                                           few, many, timing);
  if (status != cudaSuccess)
    {
      fprintf (stderr, "copies, %d blocks: %s\n", cluster, cudaGetErrorString (status));
      cudaGetLastError ();
      return;
    }
  CHECK (cudaDeviceSynchronize ());
  CHECK (cudaMemcpy (&got, timing, sizeof got, cudaMemcpyDeviceToHost));
  for (int block = 0; block < MAX_BLOCKS; block++)
    if (got.many[block] != 0xffffffffu)
      cycles = std::max (cycles, ((double) got.many[block] - got.few[block]) / (many - few) / warps);
  printf ("%s\t%d\t%x\t%u\t%u\t%d\t%d\t%.3f\n", mask != 0 ? "multicast" : "bulk", cluster, mask,
          bytes, offset, warps, is_all ? cluster : 1, cycles);
}

static void
run_copies (unsigned char *global)
{
  Timing *timing;

  CHECK (cudaMalloc (&timing, sizeof *timing));
  CHECK (cudaFuncSetAttribute (copy, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK (cudaFuncSetAttribute (copy, cudaFuncAttributeMaxDynamicSharedMemorySize, 66560));
  printf ("# copy\tcluster\tmask\tbytes\toffset\twarps\tblocks\tcycles\n");
  for (int cluster : { 2, 4, 8, 16 })
    {
      for (uint32_t mask : { 0u, 1u, 2u, 3u, 5u, 0xfu, 0x55u, 0xffu, 0x5555u, 0xaaau, 0xffffu })
        for (uint32_t bytes : { 16u, 32u, 48u, 64u, 96u, 128u, 192u, 256u, 384u, 512u, 768u, 1024u,
                                1536u, 2048u, 3072u, 4096u, 8192u, 12288u, 16384u })
          for (int warps : { 1, 2, 4, 8 })
            for (int is_all = 0; is_all < 2 && mask >> cluster == 0; is_all++)
              for (uint32_t offset : { 0u, 16u, 64u })
                if (offset == 0 || (bytes <= 1024 && warps == 4 && cluster <= 4))
                  copy_one (global, timing, cluster, mask, bytes, offset, warps, is_all != 0);
      fflush (stdout);
    }
  fprintf (stderr, "copies\n");
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 1500;
  cudaDeviceProp properties;
  unsigned char *global;
  int driver;

  const char *only = argc > 3 ? argv[3] : "";
  bool is_ladder = strcmp (only, "ladders") == 0, is_few = strncmp (only, "few:", 4) == 0;
  bool is_any = strncmp (only, "any:", 4) == 0, is_run = false;

  if (is_few || is_any)
    only += 4;
  state = argc > 2 ? strtoull (argv[2], nullptr, 10) : 1;
  CHECK (cudaGetDeviceProperties (&properties, 0));
  CHECK (cudaDriverGetVersion (&driver));
  CHECK (cudaMalloc (&global, 65536));
  CHECK (cudaMemset (global, 1, 65536));
  printf ("# %s, CUDA driver %d\n", properties.name, driver);
  printf ("# access\tcluster\ttraffic\twarps\tmask\taddresses\tcycles\tmultiprocessors\tslowest\n");
#define RUN(id) \
  if (is_ladder || strncmp (only, #id, strlen (only)) == 0) \
    { \
      std::vector<Pattern> patterns; \
      is_run = true; \
      if (is_ladder) \
        patterns = make_ladders (id::width); \
      else if (is_few) \
        patterns = make_few (n, id::width); \
      else if (is_any) \
        patterns = make_patterns (n, id::width, 1, 1); \
      else \
        run_all<id> (#id, n); \
      for (int warps : { 16, is_ladder ? 1 : 32 }) \
        if (!patterns.empty ()) \
          run<id> (#id, patterns, 2, ONE, warps); \
      if (is_any) \
        run<id> (#id, patterns, 2, RING, 32); \
    }
  RUN (ld_b32) RUN (ld_b64) RUN (ld_b128) RUN (ld_b8) RUN (ld_b16) RUN (ld_relaxed_b32)
  RUN (st_b32) RUN (st_b64) RUN (st_b128) RUN (st_b8) RUN (st_b16)
  RUN (red_add_u32) RUN (red_inc_u32) RUN (red_min_s32) RUN (red_xor_b32)
  RUN (atom_add_u32) RUN (atom_xor_b32) RUN (atom_exch_b32) RUN (atom_exch_b64) RUN (atom_cas_b32)
  RUN (atom_cas_b64) RUN (red_add_u64) RUN (atom_add_u64) RUN (red_add_f32) RUN (red_add_f64)
  RUN (atom_add_f32) RUN (atom_cas_b16)
  RUN (st_async_b32) RUN (st_async_b64) RUN (st_async_v2_b32) RUN (st_async_v4_b32)
  RUN (red_async_add_u32) RUN (red_async_min_s32) RUN (red_async_or_b32) RUN (red_async_add_u64)
  // Which lines share a channel, or a slot, with a few others.
  if (*only == '\0' || strcmp (only, "pairs") == 0)
    for (uint32_t line : { 0, 1, 77 })
      {
        is_run = true;
        run<st_b32> ("st_b32", make_pairs (line, 4, 4, 16), 2, RING, 16);
        run<red_async_add_u32> ("red_async_add_u32", make_pairs (line, 7, 1, 4), 2, ONE, 16);
      }
  if (*only == '\0' || strcmp (only, "copies") == 0)
    {
      is_run = true;
      run_copies (global);
    }
  if (strcmp (only, "lost") == 0)
    {
      is_run = true;
      run_lose<red_add_u64> ("red_add_u64", false, 0xfffffffffffffffe);
      run_lose<red_or_b64> ("red_or_b64", false, 0xffffffffffffffff);
      run_lose<red_max_u64> ("red_max_u64", false, 0x8000000080000000);
      run_lose<red_add_f16x2> ("red_add_f16x2", true, 0x54005400);
    }
  if (!is_run)
    fprintf (stderr, "%s: no access begins so; see RUN in lab/measure-remote.cu\n", only);
  return is_run ? 0 : 2;
}
