/* SPDX-License-Identifier: MIT
 * The banks of shared memory: addresses of a warp in, wavefronts out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Plain C without GLib, so that an interpreter's inner loop can call it and other projects can
 * reuse it. */
/* Lanes of a warp. */
#define CURED_BANK_LANES 32

/* Maximum number of words that one access of a warp touches: 32 lanes of 16 bytes. */
#define CURED_BANK_MAX_SERVED 128

/* Organization of a chip's banks. */
typedef enum
{
  CURED_BANK_ARCH_5, /* compute capability 5.0 and later: 32 banks of 4 bytes; measured */
  /* 3.x with cudaSharedMemBankSizeFourByte: 32 banks of 8 bytes; words i and i + 32 of an
   * aligned segment of 64 words are neighbours in a bank; from NVIDIA's documentation */
  CURED_BANK_ARCH_3,
  /* 3.x with cudaSharedMemBankSizeEightByte: 32 banks of 8 bytes; from NVIDIA's documentation */
  CURED_BANK_ARCH_3_WIDE,
  CURED_BANK_ARCH_2, /* 2.x: 32 banks of 4 bytes; from NVIDIA's documentation */
  /* 1.x: 16 banks of 4 bytes, half a warp at a time; in each step several lanes may read one
   * common word; from NVIDIA's documentation */
  CURED_BANK_ARCH_1,
} CuredBankArch;

/* Kind of instruction. */
typedef enum
{
  CURED_BANK_KIND_LOAD,        /* ld.shared */
  CURED_BANK_KIND_STORE,       /* st.shared */
  CURED_BANK_KIND_REDUCTION,   /* red.shared, and atom.shared whose result is unused, on integers */
  CURED_BANK_KIND_LDMATRIX_X1, /* ldmatrix of one matrix; width is 128 */
  CURED_BANK_KIND_LDMATRIX_X2, /* of two */
  CURED_BANK_KIND_LDMATRIX_X4, /* of four */
  CURED_BANK_KIND_STMATRIX_X1, /* stmatrix of one matrix; width is 128 */
  CURED_BANK_KIND_STMATRIX_X2, /* of two */
  CURED_BANK_KIND_STMATRIX_X4, /* of four, transposed or not */
  CURED_BANK_KIND_COPY,        /* the write of a cp.async of 4, 8 or 16 bytes */
  /* red.shared.add of the constant 1, for which there is a special machine instruction */
  CURED_BANK_KIND_INCREMENT,
  CURED_BANK_KIND_ATOMIC,   /* atom.shared.add.u32 or .min.s32 whose result is used */
  CURED_BANK_KIND_EXCHANGE, /* atom.shared.exch of 32 or 64 bits */
  CURED_BANK_KIND_SWAP,     /* atom.shared.cas of 32 or 64 bits */
  /* ld of another block's shared memory, in a cluster: turns are sectors of 32 bytes, not
   * wavefronts */
  CURED_BANK_KIND_REMOTE_LOAD,
  CURED_BANK_KIND_REMOTE_STORE,           /* st to it: likewise, or halves of sectors */
  CURED_BANK_KIND_REMOTE_ASYNC_STORE,     /* st.async */
  CURED_BANK_KIND_REMOTE_ASYNC_REDUCTION, /* red.async: as REMOTE_REDUCTION */
  /* red there on integers, or atom with an unused result: turns are requests for lines of 128
   * bytes and their sectors */
  CURED_BANK_KIND_REMOTE_REDUCTION,
  CURED_BANK_KIND_REMOTE_ATOMIC, /* other atom there, including exch: likewise */
  CURED_BANK_KIND_REMOTE_SWAP,   /* atom.cas there: likewise, but with lines of 64 bytes */
} CuredBankKind;

/* One shared-memory instruction of one warp. */
typedef struct
{
  CuredBankArch arch; /* the banks */
  CuredBankKind kind; /* the instruction */
  unsigned width;     /* bits per lane: 8, 16, 32, 64 or 128; of ldmatrix 128, per row */
  uint32_t mask;      /* the active lanes; lane 0 is bit 0 */
  /* bytes from the start of shared memory; ignored for inactive lanes and for those whose
   * rows ldmatrix does not read */
  uint32_t addresses[CURED_BANK_LANES];
} CuredBankAccess;

/* Cost of an access. */
typedef struct
{
  /* turns of the shared memory; of another block's, turns on the way to it: remote sectors */
  uint32_t wavefronts;
  /* turns that the same lanes would need without conflicts: one per group of lanes served
   * together; of another block's, turns if their bytes were contiguous */
  uint32_t least;
  /* @wavefronts − @least; for CURED_BANK_KIND_SWAP half of that, since each of its turns takes two
   * wavefronts but is one conflict */
  uint32_t conflicts;
  /* number of lanes with an address that is not a multiple of the width. A device stops the
   * kernel there; here the address is rounded down */
  uint32_t misaligned;
} CuredBankCounts;

/* One word of one lane. */
typedef struct
{
  uint32_t word;      /* address / 4 */
  uint16_t wavefront; /* from 0 */
  uint8_t lane;       /* lane of the word; for ldmatrix the lane with the row's address */
  uint8_t bank;       /* number of its bank */
  /* index of the group of lanes served together; a bank that serves a group in more than one
   * wavefront has a conflict */
  uint8_t group;
  /* the bank serves several lanes with the same read, or takes their words with the same write */
  bool is_broadcast;
} CuredBankServed;

/* Assignment of lanes to wavefronts and banks. */
typedef struct
{
  CuredBankCounts counts;                        /* result of cured_bank_model_count() */
  unsigned n_banks;                              /* 16 or 32 */
  size_t n_served;                               /* number of entries of @served */
  CuredBankServed served[CURED_BANK_MAX_SERVED]; /* every word of every active lane once */
} CuredBankPicture;

bool cured_bank_model_count (const CuredBankAccess *access, CuredBankCounts *counts);
bool cured_bank_model_explain (const CuredBankAccess *access, CuredBankPicture *picture);
bool cured_bank_kind_is_remote (CuredBankKind kind);
double cured_bank_model_get_remote_cycles (const CuredBankAccess *access, bool is_mutual);
