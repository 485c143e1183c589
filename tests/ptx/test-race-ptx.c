/* SPDX-License-Identifier: MIT
 * The race detector, watching small programs that the emulator runs: what orders, and the same
 * without it. */
#include <cured.h>
#include <string.h>

#include "test.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

/* A kernel of one pointer parameter, in %rd1, with 1 KiB of shared memory and an mbarrier. %r1 is
 * the thread in its block, %r2 the block, %r3 the number of blocks, %r5 the address of the thread's
 * word of shared memory, %rd2 that of the thread's word in global memory. */
#define KERNEL(body)                                                                               \
  HEADER ".visible .entry k (.param .u64 p) {\n"                                                   \
         ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                 \
         ".shared .align 16 .b8 s[4096]; .shared .align 8 .b8 m[8];\n"                             \
         "ld.param.u64 %rd1, [p];\n"                                                               \
         "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;mov.u32 %r4, s; "     \
         "mad.lo.u32 %r5, %r1, 4, %r4;\n"                                                          \
         "mad.lo.u32 %r6, %r2, 256, %r1; mul.wide.u32 %rd2, %r6, 4;\n"                             \
         "add.u64 %rd2, %rd1, %rd2;\n" body "ret;\n}\n"

#define INACTIVE (1u << CURED_FINDING_INACTIVE_LANE)
#define EVEN     "and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 0;\n"

/* Even lanes go to a vote by @branch, that names the lanes of @mask; after that comes @join. */
#define AROUND(mask, branch, join)                                                                 \
  KERNEL (EVEN branch "\nLATER: add.u32 %r10, %r1, 1;\n"                                           \
                      "VOTE: vote.sync.ballot.b32 %r8, %p1, " mask "; bra JOIN;\n"                 \
                      "NONE: mov.u32 %r8, 0;\nJOIN: " join "END: ")

/* A compare-and-swap of s[2] in a loop, whose first guess is a plain read of @read. */
#define GUESS(read)                                                                                \
  KERNEL ("setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [s + 4], 0; add.u32 %r9, %r4, 8;\n"         \
          "@%p1 st.shared.u32 [s + 8], 0; bar.sync 0; ld.shared.u32 %r7, [" read "];\n"            \
          "T: mov.u32 %r8, %r7; add.u32 %r10, %r8, 1;\n"                                           \
          "atom.shared.cas.b32 %r7, [%r9], %r8, %r10; setp.ne.u32 %p2, %r7, %r8; @%p2 bra T;\n"    \
          "@%p1 st.shared.u32 [s + 4], 7;\n")

typedef struct
{
  const char *name;
  guint blocks;
  guint threads;
  guint32 expected; /* kinds of findings */
  const char *ptx;
} Program;

#define SHARED (1u << CURED_FINDING_RACE_SHARED)
#define GLOBAL (1u << CURED_FINDING_RACE_GLOBAL)

/* Each thread stores its own word and, after @order, loads its neighbour's. */
#define NEIGHBOUR(order)                                                                           \
  KERNEL ("st.shared.u32 [%r5], %r1;\n" order                                                      \
          "xor.b32 %r7, %r1, 1; mad.lo.u32 %r7, %r7, 4, %r4;\n"                                    \
          "ld.shared.u32 %r8, [%r7];\n")

/* The second half of the block reads what the first half stored. */
#define HALVES(first, second)                                                                      \
  KERNEL ("setp.ge.u32 %p1, %r1, 64;\n"                                                            \
          "@%p1 bra SECOND;\n"                                                                     \
          "st.shared.u32 [%r5], %r1;\n" first "bra.uni END;\n"                                     \
          "SECOND:\n" second "ld.shared.u32 %r8, [%r5 + -256];\n"                                  \
          "END:\n")

/* The same, behind an mbarrier that @count threads arrive at. */
#define MBARRIER(count, first)                                                                     \
  KERNEL ("setp.ne.u32 %p1, %r1, 0;\n"                                                             \
          "@%p1 bra READY;\n"                                                                      \
          "mbarrier.init.shared.b64 [m], " count ";\n"                                             \
          "READY: bar.sync 0;\n"                                                                   \
          "setp.ge.u32 %p1, %r1, 64;\n"                                                            \
          "@%p1 bra SECOND;\n" first "bra.uni END;\n"                                              \
          "SECOND:\n"                                                                              \
          "mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n"                                     \
          "@!%p2 bra SECOND;\n"                                                                    \
          "ld.shared.u32 %r8, [%r5 + -256];\n"                                                     \
          "END:\n")

/* Each thread copies its word in, and loads @what after @order. */
#define COPY(order, address)                                                                       \
  KERNEL ("cp.async.ca.shared.global [%r5], [%rd2], 4;\n" order                                    \
          "xor.b32 %r7, %r1, 64; mad.lo.u32 %r7, %r7, 4, %r4;\n"                                   \
          "ld.shared.u32 %r8, [" address "];\n")

/* Thread 0 has 256 bytes copied in, which the others read after @order. */
#define BULK_IN(order)                                                                             \
  KERNEL (                                                                                         \
      "setp.ne.u32 %p1, %r1, 0;\n"                                                                 \
      "@%p1 bra READY;\n"                                                                          \
      "mbarrier.init.shared::cta.b64 [m], 1;\n"                                                    \
      "fence.mbarrier_init.release.cluster;\n"                                                     \
      "READY: bar.sync 0;\n"                                                                       \
      "@%p1 bra WAIT;\n"                                                                           \
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 256;\n"                                   \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [m];\n" \
      "WAIT:\n" order "ld.shared.u32 %r8, [%r5];\n")
#define BULK_WAIT                                                                                  \
  "mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0;\n"                                        \
  "@!%p2 bra WAIT;\n"

/* The threads store what thread 0 has copied out after @before; they store again after @after. */
#define BULK_OUT(before, after)                                                                    \
  KERNEL ("setp.ne.u32 %p1, %r1, 0;\n"                                                             \
          "st.shared.u32 [%r5], %r1;\n" before "bar.sync 0;\n"                                     \
          "@%p1 bra COPIED;\n"                                                                     \
          "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;\n"                        \
          "cp.async.bulk.commit_group;\n" after "COPIED: bar.sync 0;\n"                            \
          "st.shared.u32 [%r5], 7;\n")
#define PROXY "fence.proxy.async.shared::cta;\n"

/* Two warps store bytes of the same words, the second after the fence of the first. */
#define BULK_OUT_BYTES(before)                                                                     \
  KERNEL ("setp.ne.u32 %p1, %r1, 0; setp.gt.u32 %p2, %r1, 31;\n"                                   \
          "and.b32 %r7, %r1, 31; shl.b32 %r7, %r7, 2; shr.u32 %r8, %r1, 5;\n"                      \
          "add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r4;\n"                                        \
          "st.shared.u8 [%r7], %r1;\n" before "bar.sync 0;\n"                                      \
          "@%p1 bra COPIED;\n"                                                                     \
          "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 128;\n"                        \
          "cp.async.bulk.commit_group;\n"                                                          \
          "cp.async.bulk.wait_group.read 0;\nCOPIED:\n")

/* Threads 0 and 1 have the same words copied out, as do two groups of thread 0. */
#define BULK_OUT_TWICE(wait)                                                                       \
  KERNEL ("setp.gt.u32 %p1, %r1, 1; setp.eq.u32 %p3, %r1, 0;\n"                                    \
          "st.shared.u32 [%r5], %r1;\n" PROXY "bar.sync 0;\n"                                      \
          "@%p1 bra COPIED;\n"                                                                     \
          "mul.wide.u32 %rd3, %r1, 1024; add.u64 %rd3, %rd1, %rd3;\n"                              \
          "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [s], 256;\n"                        \
          "cp.async.bulk.commit_group;\n" wait "COPIED: bar.sync 0;\n"                             \
          "st.shared.u32 [%r5], 7;\n")
#define BULK_OUT_GROUPS(left)                                                                      \
  BULK_OUT (PROXY, "cp.async.bulk.global.shared::cta.bulk_group [%rd1 + 1024], [s], 256;\n"        \
                   "cp.async.bulk.commit_group;\n"                                                 \
                   "cp.async.bulk.wait_group.read " left ";\n")

/* Two copies arrive at a barrier each; of the second warp half of the lanes wait for the one, half
 * for the other, and read @bytes behind the first one's. */
#define BULK_IN_APART(bytes)                                                                       \
  KERNEL (                                                                                         \
      "setp.ne.u32 %p1, %r1, 0;\n"                                                                 \
      "@%p1 bra READY;\n"                                                                          \
      "mbarrier.init.shared::cta.b64 [m], 1;\n"                                                    \
      "mbarrier.init.shared::cta.b64 [s + 1024], 1;\n"                                             \
      "fence.mbarrier_init.release.cluster;\n"                                                     \
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 128;\n"                                   \
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [s + 1024], 128;\n"                            \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 128, [m];\n" \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s + 128], [%rd1 + "      \
      "128], 128, [s + 1024];\n"                                                                   \
      "READY: bar.sync 0;\n"                                                                       \
      "setp.lt.u32 %p1, %r1, 32;\n"                                                                \
      "@%p1 bra END;\n"                                                                            \
      "and.b32 %r9, %r1, 1; setp.eq.u32 %p3, %r9, 0;\n"                                            \
      "mov.u32 %r10, m; add.u32 %r11, %r4, 1024;\n"                                                \
      "selp.u32 %r10, %r10, %r11, %p3;\n"                                                          \
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], 0;\n"                           \
      "@!%p2 bra WAIT;\n"                                                                          \
      "mad.lo.u32 %r9, %r9, " bytes ", %r4;\n"                                                     \
      "ld.shared.u32 %r8, [%r9];\n"                                                                \
      "END:\n")

/* Two buffers go round: thread 0 copies in, those of the second warp read and give back, behind
 * @release. */
#define BULK_RING(release)                                                                         \
  KERNEL (                                                                                         \
      "setp.ne.u32 %p1, %r1, 0;\n"                                                                 \
      "@%p1 bra READY;\n"                                                                          \
      "mbarrier.init.shared::cta.b64 [m], 1;\n"                                                    \
      "mbarrier.init.shared::cta.b64 [s + 1024], 32;\n"                                            \
      "READY: bar.sync 0;\n"                                                                       \
      "mov.u32 %r9, 0;\n"                                                                          \
      "setp.ge.u32 %p3, %r1, 32;\n"                                                                \
      "@%p3 bra USE;\n"                                                                            \
      "@%p1 bra END;\n"                                                                            \
      "LOOP: and.b32 %r10, %r9, 1; xor.b32 %r11, %r10, 1;\n"                                       \
      "FREE: mbarrier.try_wait.parity.shared::cta.b64 %p2, [s + 1024], %r11;\n"                    \
      "@!%p2 bra FREE;\n"                                                                          \
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [m], 128;\n"                                   \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 128, [m];\n" \
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 4;\n"                                            \
      "@%p2 bra LOOP;\n"                                                                           \
      "bra END;\n"                                                                                 \
      "USE: and.b32 %r10, %r9, 1;\n"                                                               \
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], %r10;\n"                           \
      "@!%p2 bra WAIT;\n" release "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 4;\n"                \
      "@%p2 bra USE;\n"                                                                            \
      "END:\n")
#define RING_READ "ld.shared.u32 %r8, [%r5 + -128];\n"
#define RING_GIVE "mbarrier.arrive.shared::cta.b64 _, [s + 1024];\n"

/* Thread 0 of each block leaves a number and counts itself; that of the last block reads all of
 * them, and sets the counter back. */
#define LAST_BLOCK(fence, atomic)                                                                  \
  KERNEL ("setp.ne.u32 %p1, %r1, 0;\n"                                                             \
          "@%p1 bra COUNTED;\n"                                                                    \
          "st.global.u32 [%rd2], %r2;\n" fence atomic " %r7, [%rd1 + 65536], 1;\n"                 \
          "add.u32 %r7, %r7, 1;\n"                                                                 \
          "st.shared.u32 [s], %r7;\n"                                                              \
          "COUNTED: bar.sync 0;\n"                                                                 \
          "ld.shared.u32 %r7, [s];\n"                                                              \
          "setp.ne.u32 %p1, %r7, %r3;\n"                                                           \
          "@%p1 bra END;\n"                                                                        \
          "setp.ge.u32 %p1, %r1, %r3;\n"                                                           \
          "@%p1 bra BACK;\n"                                                                       \
          "mul.wide.u32 %rd3, %r1, 1024; add.u64 %rd3, %rd1, %rd3;\n"                              \
          "ld.global.u32 %r8, [%rd3];\n"                                                           \
          "BACK: setp.ne.u32 %p1, %r1, 0;\n"                                                       \
          "@%p1 bra END;\n"                                                                        \
          "st.global.u32 [%rd1 + 65536], 0;\n"                                                     \
          "END:\n")

/* Block 0 writes data and raises a flag, for which the others look. */
#define FLAG(fence, store, wait)                                                                   \
  KERNEL ("setp.ne.u32 %p1, %r2, 0;\n"                                                             \
          "@%p1 bra WAIT;\n"                                                                       \
          "st.global.u32 [%rd2], 7;\n"                                                             \
          "bar.sync 0;\n"                                                                          \
          "setp.ne.u32 %p1, %r1, 0;\n"                                                             \
          "@%p1 bra END;\n" fence store " [%rd1 + 65536], 1;\n"                                    \
          "bra.uni END;\n"                                                                         \
          "WAIT: setp.ne.u32 %p1, %r1, 0;\n"                                                       \
          "@%p1 bra READY;\n" wait "READY: bar.sync 0;\n"                                          \
          "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3;\n"                                 \
          "ld.global.u32 %r8, [%rd3];\n"                                                           \
          "END:\n")
#define SPIN(load)                                                                                 \
  "SPIN: " load " %r7, [%rd1 + 65536];\n"                                                          \
  "setp.eq.u32 %p2, %r7, 0;\n"                                                                     \
  "@%p2 bra SPIN;\n"

/* Warps take turns at a word of shared memory that a lock guards. */
#define LOCK(acquire, release)                                                                     \
  KERNEL ("setp.ne.u32 %p1, %r1, 0;\n"                                                             \
          "@%p1 bra READY;\n"                                                                      \
          "st.shared.u32 [s], 0; st.shared.u32 [s + 4], 0;\n"                                      \
          "READY: bar.sync 0;\n"                                                                   \
          "and.b32 %r7, %r1, 31; setp.ne.u32 %p1, %r7, 0;\n"                                       \
          "@%p1 bra END;\n"                                                                        \
          "TAKE: atom.shared.cas.b32 %r7, [s], 0, 1;\n"                                            \
          "setp.ne.u32 %p1, %r7, 0;\n"                                                             \
          "@%p1 bra TAKE;\n" acquire "ld.shared.u32 %r8, [s + 4];\n"                               \
          "add.u32 %r8, %r8, 1;\n"                                                                 \
          "st.shared.u32 [s + 4], %r8;\n" release "atom.shared.exch.b32 %r7, [s], 0;\n"            \
          "END:\n")

/* Two threads, of two blocks or of two warps of one block: @a and @b are what they do. Data is at
 * [%rd1], a flag or a lock at [%rd1 + 65536]. */
#define ACTORS(where, a, b)                                                                        \
  KERNEL (where "setp.eq.u32 %p1, %r9, 0; @%p1 bra A;\n"                                           \
                "setp.eq.u32 %p1, %r9, 1; @%p1 bra B; bra END;\n"                                  \
                "A:\n" a "bra END;\n"                                                              \
                "B:\n" b "END:\n")
#define BLOCKS "mad.lo.u32 %r9, %r1, 2, %r2;\n"
#define WARPS  "shl.b32 %r9, %r1, 27; shr.u32 %r8, %r1, 5; add.u32 %r9, %r9, %r8;\n"

#define STORE     "st.global.u32 [%rd1], %r9;\n"
#define LOAD      "ld.global.u32 %r10, [%rd1];\n"
#define STORE_V   "st.volatile.global.u32 [%rd1], %r9;\n"
#define LOAD_V    "ld.volatile.global.u32 %r10, [%rd1];\n"
#define EXCH      "atom.global.exch.b32 %r10, [%rd1], %r9;\n"
#define EXCH_CTA  "atom.global.cta.exch.b32 %r10, [%rd1], %r9;\n"
#define FENCE     "membar.gl;\n"
#define FENCE_CTA "membar.cta;\n"
#define RAISE     "atom.global.exch.b32 %r10, [%rd1 + 65536], 1;\n"

/* Until the flag is not 0. */
#define AWAIT(label, read) label ": " read "setp.eq.u32 %p2, %r11, 0; @%p2 bra " label ";\n"
#define READ(what)         what " %r11, [%rd1 + 65536];\n"
#define COUNT_READ         "atom.global.add.u32 %r11, [%rd1 + 65536], 0;\n"

#define TAKE(label, scope)                                                                         \
  label ": atom.global" scope ".cas.b32 %r11, [%rd1 + 65536], 0, 1;\n"                             \
        "setp.ne.u32 %p2, %r11, 0; @%p2 bra " label ";\n"
#define GIVE(scope) "atom.global" scope ".exch.b32 %r10, [%rd1 + 65536], 0;\n"

static const Program programs[] = {
  { "neighbour/nothing", 1, 32, SHARED, NEIGHBOUR ("") },
  { "neighbour/block-barrier", 1, 128, 0, NEIGHBOUR ("bar.sync 0;\n") },
  { "neighbour/warp-barrier", 1, 32, 0, NEIGHBOUR ("bar.warp.sync -1;\n") },
  { "neighbour/reduction", 1, 128, 0,
    NEIGHBOUR ("setp.eq.u32 %p1, %r1, 3;\n"
               "bar.red.popc.u32 %r9, 0, %p1;\n") },
  { "neighbour/shuffle", 1, 32, SHARED, NEIGHBOUR ("shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;\n") },
  { "neighbour/vote", 1, 32, SHARED,
    NEIGHBOUR ("setp.eq.u32 %p1, %r1, 3;\n"
               "vote.sync.ballot.b32 %r9, %p1, -1;\n") },
  { "neighbour/fence", 1, 32, SHARED, NEIGHBOUR ("membar.cta;\n") },
  { "halves/nothing", 1, 128, SHARED, HALVES ("", "") },
  { "halves/arrive", 1, 128, 0, HALVES ("bar.arrive 1, 128;\n", "bar.sync 1, 128;\n") },
  { "halves/other-barrier", 1, 128, SHARED, HALVES ("bar.sync 1, 64;\n", "bar.sync 2, 64;\n") },
  { "mbarrier/arrive", 1, 128, 0,
    MBARRIER ("64", "st.shared.u32 [%r5], %r1;\n"
                    "mbarrier.arrive.shared.b64 %rd4, [m];\n") },
  { "mbarrier/too-early", 1, 128, SHARED,
    MBARRIER ("64", "mbarrier.arrive.shared.b64 %rd4, [m];\n"
                    "st.shared.u32 [%r5], %r1;\n") },
  /* One lane ends the barrier for all of its warp: what orders the others' arrivals before that is
   * a vote, which orders nothing else. */
  { "mbarrier/ended-for-the-warp", 1, 32, 0,
    KERNEL ("setp.ne.u32 %p1, %r1, 0;\n"
            "@%p1 bra READY;\n"
            "mbarrier.init.shared.b64 [m], 32;\n"
            "READY: bar.sync 0;\n"
            "mbarrier.arrive.shared.b64 %rd4, [m];\n"
            "vote.sync.ballot.b32 %r7, 1, -1;\n"
            "@%p1 bra END;\n"
            "mbarrier.inval.shared.b64 [m];\n"
            "END:\n") },
  { "mbarrier/overwritten-for-the-warp", 1, 32, SHARED,
    KERNEL ("setp.ne.u32 %p1, %r1, 0;\n"
            "@%p1 bra READY;\n"
            "mbarrier.init.shared.b64 [m], 32;\n"
            "READY: bar.sync 0;\n"
            "mbarrier.arrive.shared.b64 %rd4, [m];\n"
            "vote.sync.ballot.b32 %r7, 1, -1;\n"
            "@%p1 bra END;\n"
            "mbarrier.inval.shared.b64 [m];\n"
            "st.shared.u32 [m], %r1;\n"
            "END:\n") },
  { "mbarrier/copies", 1, 128, 0,
    MBARRIER ("64", "cp.async.ca.shared.global [%r5], [%rd2], 4;\n"
                    "cp.async.mbarrier.arrive.noinc.shared.b64 [m];\n") },
  { "copy/own", 1, 64, 0, COPY ("cp.async.wait_all;\n", "%r5") },
  { "copy/own-not-waited", 1, 64, SHARED, COPY ("", "%r5") },
  { "copy/other", 1, 128, 0,
    COPY ("cp.async.commit_group; cp.async.wait_group 0;\nbar.sync 0;\n", "%r7") },
  { "copy/other-no-barrier", 1, 128, SHARED,
    COPY ("cp.async.commit_group; cp.async.wait_group 0;\n", "%r7") },
  { "copy/other-not-waited", 1, 128, SHARED,
    COPY ("cp.async.commit_group; cp.async.wait_group 1;\nbar.sync 0;\n", "%r7") },
  /* Nobody reads it, and nobody waits. */
  { "copy/never-waited", 1, 64, SHARED, KERNEL ("cp.async.ca.shared.global [%r5], [%rd2], 4;\n") },
  { "copy/never-waited-but-committed", 1, 64, SHARED,
    KERNEL ("cp.async.ca.shared.global [%r5], [%rd2], 4;\n"
            "cp.async.commit_group;\n") },
  { "copy/waited-at-the-end", 1, 64, 0,
    KERNEL ("cp.async.ca.shared.global [%r5], [%rd2], 4;\n"
            "cp.async.commit_group; cp.async.wait_group 0;\n") },
  { "bulk-in/waited", 1, 64, 0, BULK_IN (BULK_WAIT) },
  { "bulk-in/not-waited", 1, 64, SHARED, BULK_IN ("bar.sync 0;\n") },
  { "bulk-in/waited-by-one", 1, 64, 0,
    BULK_IN ("@%p1 bra DONE;\n"
             "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0;\n"
             "@!%p2 bra W;\n"
             "DONE: bar.sync 0;\n") },
  { "bulk-in/waited-by-one-no-barrier", 1, 64, SHARED,
    BULK_IN ("@%p1 bra DONE;\n"
             "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [m], 0;\n"
             "@!%p2 bra W;\n"
             "DONE:\n") },
  { "bulk-in/ring", 1, 64, 0, BULK_RING (RING_READ RING_GIVE) },
  { "bulk-in/ring-given-back-too-early", 1, 64, SHARED, BULK_RING (RING_GIVE RING_READ) },
  { "bulk-out/right", 1, 64, 0, BULK_OUT (PROXY, "cp.async.bulk.wait_group.read 0;\n") },
  { "bulk-out/waited-for-all", 1, 64, 0, BULK_OUT (PROXY, "cp.async.bulk.wait_group 0;\n") },
  { "bulk-out/bytes", 1, 64, 0, BULK_OUT_BYTES (PROXY) },
  { "bulk-out/bytes-fenced-by-one", 1, 64, SHARED, BULK_OUT_BYTES ("@!%p2 " PROXY) },
  { "bulk-out/no-proxy-fence", 1, 64, SHARED, BULK_OUT ("", "cp.async.bulk.wait_group.read 0;\n") },
  { "bulk-out/proxy-fence-of-global-memory", 1, 64, SHARED,
    BULK_OUT ("fence.proxy.async.global;\n", "cp.async.bulk.wait_group.read 0;\n") },
  { "bulk-in/barrier-each", 1, 64, 0, BULK_IN_APART ("128") },
  { "bulk-in/barrier-of-the-other", 1, 64, SHARED, BULK_IN_APART ("0") },
  { "bulk-out/two-threads", 1, 64, 0, BULK_OUT_TWICE ("cp.async.bulk.wait_group.read 0;\n") },
  { "bulk-out/two-threads-one-waits", 1, 64, SHARED,
    BULK_OUT_TWICE ("@%p3 cp.async.bulk.wait_group.read 0;\n") },
  { "bulk-out/two-groups", 1, 64, 0, BULK_OUT_GROUPS ("0") },
  { "bulk-out/two-groups-one-waited-for", 1, 64, SHARED, BULK_OUT_GROUPS ("1") },
  { "bulk-out/overwritten", 1, 64, SHARED, BULK_OUT (PROXY, "") },
  { "bulk-out/waited-for-one-too-few", 1, 64, SHARED,
    BULK_OUT (PROXY, "cp.async.bulk.wait_group.read 1;\n") },
  { "syncwarp/own-mask", 1, 32, 0,
    KERNEL ("setp.ge.u32 %p1, %r1, 8;\n"
            "@%p1 bra END;\n"
            "bar.warp.sync 255;\n"
            "END:\n") },
  { "syncwarp/mask-of-others", 1, 32, INACTIVE,
    KERNEL ("setp.ge.u32 %p1, %r1, 9;\n"
            "@%p1 bra END;\n"
            "bar.warp.sync 255;\n"
            "END:\n") },
  { "vote/branch-then-store", 1, 32, INACTIVE,
    AROUND ("-1", "@%p1 bra VOTE; bra NONE;", "st.global.u32 [%rd2], %r8;\n") },
  { "vote/branch-then-end", 1, 32, 0, AROUND ("-1", "@%p1 bra VOTE; bra NONE;", "") },
  { "vote/branch-own-mask", 1, 32, 0,
    AROUND ("0x55555555", "@%p1 bra VOTE; bra NONE;", "st.global.u32 [%rd2], %r8;\n") },
  { "vote/returned-early", 1, 32, 0,
    AROUND ("-1", "@!%p1 bra END;", "st.global.u32 [%rd2], %r8;\n") },
  { "vote/comes-later", 1, 32, 0,
    AROUND ("-1", "@%p1 bra VOTE; bra LATER;", "st.global.u32 [%rd2], %r8;\n") },
  { "elect/branch-then-store", 1, 32, INACTIVE,
    KERNEL (EVEN "@!%p1 bra NONE; elect.sync %r8|%p2, -1; bra JOIN;\n"
                 "NONE: mov.u32 %r8, 0;\nJOIN: st.global.u32 [%rd2], %r8;\n") },
  { "elect/branch-own-mask", 1, 32, 0,
    KERNEL (EVEN "@!%p1 bra NONE; elect.sync %r8|%p2, 0x55555555; bra JOIN;\n"
                 "NONE: mov.u32 %r8, 0;\nJOIN: st.global.u32 [%rd2], %r8;\n") },
  { "guess/by-name", 1, 64, 0, GUESS ("s + 8") },
  { "guess/by-register", 1, 64, 0, GUESS ("%r9") },
  { "guess/of-another-word", 1, 64, SHARED, GUESS ("s + 4") },
  { "last-block/fence", 40, 128, 0, LAST_BLOCK ("fence.acq_rel.gpu;\n", "atom.global.add.u32") },
  { "last-block/membar", 40, 128, 0, LAST_BLOCK ("membar.gl;\n", "atom.global.add.u32") },
  { "last-block/acq-rel", 40, 128, 0, LAST_BLOCK ("", "atom.acq_rel.gpu.global.add.u32") },
  { "last-block/nothing", 40, 128, GLOBAL, LAST_BLOCK ("", "atom.global.add.u32") },
  { "last-block/relaxed", 40, 128, GLOBAL, LAST_BLOCK ("", "atom.relaxed.gpu.global.add.u32") },
  { "last-block/fence-of-block", 40, 128, GLOBAL,
    LAST_BLOCK ("membar.cta;\n", "atom.global.add.u32") },
  { "flag/volatile", 4, 64, 0,
    FLAG ("membar.gl;\n", "st.volatile.global.u32", SPIN ("ld.volatile.u32")) },
  { "flag/release-acquire", 4, 64, 0,
    FLAG ("", "st.release.gpu.global.u32", SPIN ("ld.acquire.gpu.u32")) },
  { "flag/relaxed", 4, 64, GLOBAL,
    FLAG ("", "st.relaxed.gpu.global.u32", SPIN ("ld.relaxed.gpu.u32")) },
  { "flag/volatile-no-fence", 4, 64, GLOBAL,
    FLAG ("", "st.volatile.global.u32", SPIN ("ld.volatile.u32")) },
  { "flag/looked-at-once", 4, 64, GLOBAL,
    FLAG ("membar.gl;\n", "st.volatile.global.u32", "ld.volatile.u32 %r7, [%rd1 + 65536];\n") },
  { "lock/fences", 1, 256, 0, LOCK ("membar.cta;\n", "membar.cta;\n") },
  { "lock/no-fences", 1, 256, SHARED, LOCK ("", "") },
  { "scope/atomics", 2, 64, 0, ACTORS (BLOCKS, EXCH, EXCH) },
  { "scope/atomics-of-block", 2, 64, GLOBAL, ACTORS (BLOCKS, EXCH_CTA, EXCH_CTA) },
  { "scope/atomics-of-block-in-one", 1, 64, 0, ACTORS (WARPS, EXCH_CTA, EXCH_CTA) },
  { "scope/atomics-of-both", 1, 64, 0, ACTORS (WARPS, EXCH, EXCH_CTA) },
  { "volatile/store-and-atomic-blocks", 2, 64, GLOBAL, ACTORS (BLOCKS, EXCH, STORE_V) },
  { "volatile/load-and-atomic-blocks", 2, 64, 0, ACTORS (BLOCKS, EXCH, LOAD_V) },
  { "volatile/store-and-atomic-warps", 1, 64, GLOBAL, ACTORS (WARPS, EXCH, STORE_V) },
  { "volatile/load-and-atomic-warps", 1, 64, 0, ACTORS (WARPS, EXCH, LOAD_V) },
  { "volatile/store-and-atomic-of-block", 1, 64, GLOBAL, ACTORS (WARPS, EXCH_CTA, STORE_V) },
  { "volatile/store-and-polling-atomic", 2, 64, 0,
    ACTORS (BLOCKS, "st.volatile.global.u32 [%rd1 + 65536], 1;\n", AWAIT ("W", COUNT_READ)) },
  { "volatile/counter-set-back", 2, 64, 0,
    ACTORS (BLOCKS, COUNT_READ,
            COUNT_READ "setp.ne.u32 %p2, %r11, 7; @%p2 bra END;\n"
                       "st.volatile.global.u32 [%rd1 + 65536], 0;\n") },
  { "volatile/after-own-atomic", 1, 64, 0,
    ACTORS (BLOCKS "setp.ne.u32 %p1, %r9, 0; @%p1 bra END;\n", EXCH STORE_V, "") },
  { "acquire/fence-blocks", 2, 64, 0,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) FENCE LOAD) },
  { "acquire/nothing-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) LOAD) },
  { "acquire/relaxed-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.relaxed.gpu.global.u32")) LOAD) },
  { "acquire/volatile-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.volatile.global.u32")) LOAD) },
  { "acquire/plain-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.global.u32")) FENCE LOAD) },
  { "acquire/acquire-blocks", 2, 64, 0,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.acquire.gpu.global.u32")) LOAD) },
  { "acquire/acquire-of-block-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.acquire.cta.global.u32")) LOAD) },
  { "acquire/fence-of-block-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) FENCE_CTA LOAD) },
  { "acquire/only-released-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) "fence.release.gpu;\n" LOAD) },
  { "acquire/fence-acquire-blocks", 2, 64, 0,
    ACTORS (BLOCKS, STORE "fence.release.gpu;\n" RAISE,
            AWAIT ("W", COUNT_READ) "fence.acquire.gpu;\n" LOAD) },
  { "acquire/store-after-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) STORE) },
  { "acquire/other-address-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE "st.release.gpu.global.u32 [%rd1 + 65540], 1;\n" RAISE,
            AWAIT ("W", COUNT_READ) FENCE LOAD) },
  { "acquire/volatile-data-blocks", 2, 64, 0,
    ACTORS (BLOCKS, STORE_V FENCE RAISE, AWAIT ("W", COUNT_READ) LOAD_V) },
  { "acquire/volatile-update-blocks", 2, 64, 0,
    ACTORS (BLOCKS, STORE_V FENCE RAISE, AWAIT ("W", COUNT_READ) LOAD_V STORE_V) },
  { "acquire/volatile-store-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE_V FENCE RAISE, AWAIT ("W", COUNT_READ) STORE_V) },
  { "acquire/fence-warps", 1, 64, 0,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) FENCE LOAD) },
  { "acquire/nothing-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) LOAD) },
  { "acquire/relaxed-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.relaxed.gpu.global.u32")) LOAD) },
  { "acquire/volatile-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.volatile.global.u32")) LOAD) },
  { "acquire/plain-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.global.u32")) FENCE LOAD) },
  { "acquire/acquire-warps", 1, 64, 0,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.acquire.gpu.global.u32")) LOAD) },
  { "acquire/acquire-of-block-warps", 1, 64, 0,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", READ ("ld.acquire.cta.global.u32")) LOAD) },
  { "acquire/fence-of-block-warps", 1, 64, 0,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) FENCE_CTA LOAD) },
  { "acquire/only-released-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) "fence.release.gpu;\n" LOAD) },
  { "acquire/fence-acquire-warps", 1, 64, 0,
    ACTORS (WARPS, STORE "fence.release.gpu;\n" RAISE,
            AWAIT ("W", COUNT_READ) "fence.acquire.gpu;\n" LOAD) },
  { "acquire/store-after-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, STORE FENCE RAISE, AWAIT ("W", COUNT_READ) STORE) },
  { "acquire/other-address-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, STORE "st.release.gpu.global.u32 [%rd1 + 65540], 1;\n" RAISE,
            AWAIT ("W", COUNT_READ) FENCE LOAD) },
  { "acquire/volatile-data-warps", 1, 64, 0,
    ACTORS (WARPS, STORE_V FENCE RAISE, AWAIT ("W", COUNT_READ) LOAD_V) },
  { "acquire/volatile-update-warps", 1, 64, 0,
    ACTORS (WARPS, STORE_V FENCE RAISE, AWAIT ("W", COUNT_READ) LOAD_V STORE_V) },
  { "acquire/volatile-store-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, STORE_V FENCE RAISE, AWAIT ("W", COUNT_READ) STORE_V) },
  { "acquire/read-again", 2, 64, GLOBAL,
    ACTORS (BLOCKS, LOAD_V FENCE RAISE LOAD_V, AWAIT ("W", COUNT_READ) FENCE STORE_V) },
  { "acquire/release-of-block", 2, 64, GLOBAL,
    ACTORS (BLOCKS, STORE_V FENCE_CTA RAISE, AWAIT ("W", COUNT_READ) FENCE LOAD_V) },
  { "lock/right-blocks", 2, 64, 0,
    ACTORS (BLOCKS, TAKE ("T", "") FENCE STORE FENCE GIVE (""),
            TAKE ("U", "") FENCE STORE FENCE GIVE ("")) },
  { "lock/no-acquire-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, TAKE ("T", "") STORE FENCE GIVE (""),
            TAKE ("U", "") FENCE STORE FENCE GIVE ("")) },
  { "lock/no-acquire-in-the-other-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, TAKE ("T", "") FENCE STORE FENCE GIVE (""),
            TAKE ("U", "") STORE FENCE GIVE ("")) },
  { "lock/no-release-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, TAKE ("T", "") FENCE STORE GIVE (""), TAKE ("U", "") FENCE STORE GIVE ("")) },
  { "lock/not-taken-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, TAKE ("T", "") FENCE STORE FENCE GIVE (""), STORE) },
  { "lock/right-warps", 1, 64, 0,
    ACTORS (WARPS, TAKE ("T", "") FENCE STORE FENCE GIVE (""),
            TAKE ("U", "") FENCE STORE FENCE GIVE ("")) },
  { "lock/no-acquire-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, TAKE ("T", "") STORE FENCE GIVE (""),
            TAKE ("U", "") FENCE STORE FENCE GIVE ("")) },
  { "lock/no-acquire-in-the-other-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, TAKE ("T", "") FENCE STORE FENCE GIVE (""),
            TAKE ("U", "") STORE FENCE GIVE ("")) },
  { "lock/no-release-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, TAKE ("T", "") FENCE STORE GIVE (""), TAKE ("U", "") FENCE STORE GIVE ("")) },
  { "lock/not-taken-warps", 1, 64, GLOBAL,
    ACTORS (WARPS, TAKE ("T", "") FENCE STORE FENCE GIVE (""), STORE) },
  { "lock/right-of-block", 1, 64, 0,
    ACTORS (WARPS, TAKE ("T", ".cta") FENCE_CTA STORE FENCE_CTA GIVE (".cta"),
            TAKE ("U", ".cta") FENCE_CTA STORE FENCE_CTA GIVE (".cta")) },
  { "lock/no-acquire-of-block", 1, 64, GLOBAL,
    ACTORS (WARPS, TAKE ("T", ".cta") STORE FENCE_CTA GIVE (".cta"),
            TAKE ("U", ".cta") FENCE_CTA STORE FENCE_CTA GIVE (".cta")) },
  { "lock/no-acquire-in-the-other-of-block", 1, 64, GLOBAL,
    ACTORS (WARPS, TAKE ("T", ".cta") FENCE_CTA STORE FENCE_CTA GIVE (".cta"),
            TAKE ("U", ".cta") STORE FENCE_CTA GIVE (".cta")) },
  { "lock/no-release-of-block", 1, 64, GLOBAL,
    ACTORS (WARPS, TAKE ("T", ".cta") FENCE_CTA STORE GIVE (".cta"),
            TAKE ("U", ".cta") FENCE_CTA STORE GIVE (".cta")) },
  { "lock/not-taken-of-block", 1, 64, GLOBAL,
    ACTORS (WARPS, TAKE ("T", ".cta") FENCE_CTA STORE FENCE_CTA GIVE (".cta"), STORE) },
  { "lock/acquire-of-block", 2, 64, GLOBAL,
    ACTORS (BLOCKS, TAKE ("T", "") FENCE_CTA STORE FENCE GIVE (""),
            TAKE ("U", "") FENCE STORE FENCE GIVE ("")) },
  { "lock/of-block-between-blocks", 2, 64, GLOBAL,
    ACTORS (BLOCKS, TAKE ("T", ".cta") FENCE STORE FENCE GIVE (".cta"),
            TAKE ("U", ".cta") FENCE STORE FENCE GIVE (".cta")) },
  { "lock/own-order", 2, 64, 0,
    ACTORS (BLOCKS, TAKE ("T", ".acquire.gpu") STORE GIVE (".release.gpu"),
            TAKE ("U", ".acquire.gpu") STORE GIVE (".release.gpu")) },
  { "lock/given-by-a-volatile-store", 2, 64, 0,
    ACTORS (BLOCKS, TAKE ("T", "") FENCE STORE FENCE "st.volatile.global.u32 [%rd1 + 65536], 0;\n",
            TAKE ("U", "") FENCE STORE FENCE "st.volatile.global.u32 [%rd1 + 65536], 0;\n") },
  { "lock/update", 2, 64, 0,
    ACTORS (BLOCKS,
            "ld.volatile.global.u32 %r11, [%rd1 + 65536];\n"
            "T: add.u32 %r12, %r11, 5; mov.u32 %r13, %r11;\n"
            "atom.global.cas.b32 %r11, [%rd1 + 65536], %r13, %r12;\n"
            "setp.ne.u32 %p2, %r11, %r13; @%p2 bra T;\n" STORE FENCE
            "atom.global.exch.b32 %r10, [%rd1 + 65540], 1;\n",
            "ld.volatile.global.u32 %r11, [%rd1 + 65536];\n"
            "U: add.u32 %r12, %r11, 5; mov.u32 %r13, %r11;\n"
            "atom.global.cas.b32 %r11, [%rd1 + 65536], %r13, %r12;\n"
            "setp.ne.u32 %p2, %r11, %r13; @%p2 bra U;\n"
            "W: atom.global.add.u32 %r11, [%rd1 + 65540], 0;\n"
            "setp.eq.u32 %p2, %r11, 0; @%p2 bra W;\n" FENCE LOAD) },
};

TEST_ROWS ("/race-ptx/%s", programs)
{
  const Program *program = data;
  g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 30);
  g_autoptr (CuredPtxModule) module =
      MUST (cured_ptx_module_parse (program->ptx, -1, "race.ptx", &fail));
  guint64 address;

  MUST (cured_memory_allocate (memory, 1 << 20, &address, &fail));
  g_assert_true (MUST (cured_ptx_module_link (module, memory, &fail)));
  /* In every order, on one thread and on several. */
  for (guint turn = 0; turn < 8; turn++)
    {
      g_auto (CuredReport) report = { 0 };
      CuredLaunch launch = {
        .module = module,
        .memory = memory,
        .entry = "k",
        .grid = { program->blocks, 1, 1 },
        .block = { program->threads, 1, 1 },
        .parameters = &address,
        .parameters_bytes = sizeof address,
        .watch = CURED_WATCH_RACES,
        .max_instructions = 50000000,
        .threads = 1 + turn % 4,
        .seed = turn,
      };
      guint32 found = 0;

      memset (cured_memory_map (memory, address, 1 << 20), 0, 1 << 20);
      MUST (cured_emulator_launch (&launch, &report, NULL, &fail));
      g_assert_cmpint (report.end, ==, CURED_END_DONE);
      for (guint i = 0; i < report.findings->len; i++)
        {
          const CuredFinding *finding = report.findings->pdata[i];
          g_autofree char *text = cured_finding_to_string (finding);

          g_test_message ("%s", text);
          found |= 1u << finding->kind;
        }
      g_assert_cmphex (found, ==, program->expected);
    }
}

/* Block 0 reads what @p points to; block 1 stores where @address says, which makes a %rd4. */
#define STORE_TO(address)                                                                          \
  HEADER ".visible .entry k (.param .u64 p, .param .u64 q) {\n"                                    \
         ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n"                                 \
         "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];\n"                                       \
         "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0;\n"                                       \
         "@%p1 bra STORE;\n"                                                                       \
         "ld.global.u32 %r2, [%rd1];\n"                                                            \
         "ret;\n"                                                                                  \
         "STORE:\n" address "st.global.u32 [%rd4], 1;\n"                                           \
         "ret;\n}\n"

/* Only buffers that a kernel may write are watched: however the address of the store comes about,
 * the buffer that it is in has to be one of them. */
TEST ("/race-ptx/reach")
{
  static const struct
  {
    const char *ptx;
    gboolean is_alias; /* q is p */
    gboolean is_found;
    gboolean is_stray; /* it left the buffer that its address is made of */
    gint offset;       /* of q in its buffer */
  } cases[] = {
    { STORE_TO ("mov.u64 %rd4, %rd2;\n"), FALSE, FALSE },
    { STORE_TO ("mov.u64 %rd4, %rd2;\n"), TRUE, TRUE },
    { STORE_TO ("add.u64 %rd4, %rd1, 0;\n"), FALSE, TRUE },
    /* A pointer out of memory. */
    { STORE_TO ("ld.global.u64 %rd4, [%rd2];\n"), FALSE, TRUE },
    { STORE_TO ("ld.global.u64 %rd4, [%rd2 + 8];\n"), FALSE, FALSE },
    /* Out of halves. */
    { STORE_TO ("mov.b64 {%r3, %r4}, %rd1; mov.b64 %rd4, {%r3, %r4};\n"), FALSE, TRUE },
    /* One of two. */
    { STORE_TO ("setp.eq.u32 %p2, %r1, 1; selp.b64 %rd4, %rd1, %rd2, %p2;\n"), FALSE, TRUE },
    /* By a distance that the kernel reads. */
    { STORE_TO ("ld.global.u64 %rd3, [%rd2 + 16]; add.u64 %rd4, %rd2, %rd3;\n"), FALSE, TRUE },
    /* By an index that leads out of the buffer: who read before is not known, and the store is
     * found by itself. */
    { STORE_TO ("ld.global.s32 %r3, [%rd2 + 16]; cvt.s64.s32 %rd3, %r3;\n"
                "add.u64 %rd4, %rd2, %rd3;\n"),
      FALSE, FALSE, TRUE },
    { STORE_TO ("ld.global.s32 %r3, [%rd2 + 24]; cvt.s64.s32 %rd3, %r3;\n"
                "add.u64 %rd4, %rd2, %rd3;\n"),
      FALSE, FALSE, FALSE },
    /* Back from the end. */
    { STORE_TO ("add.s64 %rd4, %rd2, -4;\n"), FALSE, FALSE, FALSE, 4096 },
    { STORE_TO ("add.s64 %rd4, %rd2, -8192;\n"), FALSE, FALSE, TRUE, 4096 },
    /* To the element before the first one, and on from there. */
    { STORE_TO ("add.s64 %rd4, %rd2, 4;\n"), FALSE, FALSE, FALSE, -4 },
    { STORE_TO ("add.s64 %rd4, %rd2, 4;\n"), TRUE, TRUE, FALSE, -4 },
    /* A distance of pointers, in 32 bits, may lead anywhere. */
    { STORE_TO ("cvt.u32.u64 %r3, %rd1; cvt.u32.u64 %r4, %rd2;\n"
                "sub.s32 %r3, %r3, %r4; cvt.s64.s32 %rd3, %r3;\n"
                "add.u64 %rd4, %rd2, %rd3;\n"),
      FALSE, FALSE, FALSE },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CuredMemory) memory = cured_memory_new ((guint64) 1 << 30);
      g_autoptr (CuredPtxModule) module =
          MUST (cured_ptx_module_parse (cases[c].ptx, -1, "reach.ptx", &fail));
      g_auto (CuredReport) report = { 0 };
      guint64 addresses[3];
      CuredLaunch launch = {
        .module = module,
        .memory = memory,
        .entry = "k",
        .grid = { 2, 1, 1 },
        .block = { 1, 1, 1 },
        .parameters = addresses,
        .parameters_bytes = 2 * sizeof addresses[0],
        .watch = CURED_WATCH_RACES,
        .max_instructions = 1000,
        .threads = 1,
      };
      guint n_strays = 0;
      guint n_races = 0;

      for (gsize i = 0; i < G_N_ELEMENTS (addresses); i++)
        cured_memory_allocate (memory, 4096, &addresses[i], &error);
      g_assert_no_error (error);
      g_assert_true (cured_ptx_module_link (module, memory, &error));
      memset (cured_memory_map (memory, addresses[0], 4096), 0, 4096);
      guint64 *words = (guint64 *) (void *) cured_memory_map (memory, addresses[1], 4096);
      words[0] = addresses[0];
      words[1] = addresses[2];
      words[2] = addresses[0] - addresses[1];
      words[3] = 64;
      if (cases[c].is_alias)
        addresses[1] = addresses[0];
      addresses[1] += (guint64) cases[c].offset;
      MUST (cured_emulator_launch (&launch, &report, NULL, &fail));
      g_assert_cmpint (report.end, ==, CURED_END_DONE);
      g_test_message ("case %zu", c);
      for (guint i = 0; i < report.findings->len; i++)
        {
          const CuredFinding *finding = report.findings->pdata[i];

          n_strays += finding->kind == CURED_FINDING_OUT_OF_BOUNDS;
          n_races += finding->kind == CURED_FINDING_RACE_GLOBAL;
        }
      g_assert_cmpuint (n_strays, ==, cases[c].is_stray ? 1 : 0);
      /* Of a stray store it is a matter of order. */
      if (!cases[c].is_stray && c + 1 < G_N_ELEMENTS (cases))
        g_assert_cmpuint (n_races, ==, cases[c].is_found ? 1 : 0);
    }
}
