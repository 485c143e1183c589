/* SPDX-License-Identifier: MIT
 * The banks of shared memory: addresses of a warp in, wavefronts out.
 *
 * Where the rules come from. Those of CURED_BANK_ARCH_5 were found by experiment on an NVIDIA H200
 * (sm_90, driver 580.159.04) on 2026-11-20: one access of one warp per launch, wavefronts and
 * conflicts from the hardware counters, 3569 random and regular patterns. They give both figures of
 * every pattern; tests/data/wavefronts-h200.tsv has 896 of them. Kinds from
 * CURED_BANK_KIND_STMATRIX_X1 on: the 1260 of wavefronts-extra-h200.tsv beside it, the same way.
 * Chips from 5.0 to 8.9 were not measured: NVIDIA documents the same banks for them.
 *
 * The rules of older chips are what NVIDIA's programming guide says of them, and were not measured.
 * Where the guide is silent, a comment says what was chosen.
 *
 * Another block's shared memory: NVIDIA H200, driver 580.159.04, 2026-11-29 and -30,
 * lab/measure-remote.cu, by the clock; tests/data/remote-h200.tsv has a part of the patterns.
 *
 * Unmeasured accesses have no row in the table, and are refused. */
#include "bank/cured-bank-model.h"

#define MAX_BANKS 32

/* Which lanes can share one wavefront of one bank. */
typedef enum
{
  /* Any number of lanes in one row of the bank. */
  SHARE_ROW,
  /* A single lane: an atomic operation is done once per lane, and cp.async does not merge equal
   * addresses. */
  SHARE_NOTHING,
  /* A single lane, except that any number of lanes may read one word, chosen among all banks. */
  SHARE_ONE_WORD,
  /* Lanes with the same address and width; of several stores there, one wins. */
  SHARE_PLACE,
} Sharing;

typedef struct
{
  CuredBankArch arch;
  CuredBankKind kind;
  /* Number of lanes with consecutive numbers served together, for 8, 16, 32, 64 and 128 bits;
   * 0: not measured, or there is no such instruction. */
  uint8_t group[5];
  /* Number of lanes, from the first, whose addresses are used. */
  uint8_t n_lanes;
  /* Two groups become one if can_merge(). */
  bool is_merging;
  /* The words of a lane are requested one after the other. */
  bool is_split;
  Sharing sharing;
  /* Each turn takes two wavefronts. */
  bool is_double;
} Rule;

/* clang-format off */
static const Rule rules[] = {
  /* Measured on an H200. The merge condition is in can_merge(). */
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_LOAD,
    { 32, 32, 32, 16, 8 }, 32, true, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_STORE,
    { 32, 32, 32, 16, 8 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_REDUCTION,
    { 0, 0, 32, 0, 0 }, 32, false, false, SHARE_NOTHING },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_LDMATRIX_X1,
    { 0, 0, 0, 0, 8 }, 8, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_LDMATRIX_X2,
    { 0, 0, 0, 0, 8 }, 16, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_LDMATRIX_X4,
    { 0, 0, 0, 0, 8 }, 32, false, false, SHARE_ROW },

  { CURED_BANK_ARCH_5, CURED_BANK_KIND_STMATRIX_X1,
    { 0, 0, 0, 0, 8 }, 8, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_STMATRIX_X2,
    { 0, 0, 0, 0, 8 }, 16, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_STMATRIX_X4,
    { 0, 0, 0, 0, 8 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_COPY,
    { 0, 0, 32, 16, 8 }, 32, false, false, SHARE_NOTHING },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_INCREMENT,
    { 0, 0, 32, 0, 0 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_ATOMIC,
    { 0, 0, 32, 0, 0 }, 32, false, false, SHARE_NOTHING },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_EXCHANGE,
    { 0, 0, 32, 16, 0 }, 32, false, false, SHARE_NOTHING },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_SWAP,
    { 0, 0, 32, 16, 0 }, 32, false, false, SHARE_NOTHING, true },

  /* See send(). */
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_REMOTE_LOAD,
    { 32, 32, 32, 32, 32 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_REMOTE_STORE,
    { 32, 32, 32, 32, 32 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_REMOTE_ASYNC_STORE,
    { 0, 0, 32, 32, 32 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_REMOTE_ASYNC_REDUCTION,
    { 0, 0, 32, 32, 0 }, 32, false, false, SHARE_NOTHING },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_REMOTE_REDUCTION,
    { 0, 0, 32, 32, 0 }, 32, false, false, SHARE_NOTHING },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_REMOTE_ATOMIC,
    { 0, 0, 32, 32, 0 }, 32, false, false, SHARE_NOTHING },
  { CURED_BANK_ARCH_5, CURED_BANK_KIND_REMOTE_SWAP,
    { 0, 0, 32, 32, 0 }, 32, false, false, SHARE_NOTHING },

  /* The guide's rule for 8 to 64 bits. 128 bits: as many lanes as fill all banks. Atomics
   * took locks in software: no row. */
  { CURED_BANK_ARCH_3, CURED_BANK_KIND_LOAD,
    { 32, 32, 32, 32, 16 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_3, CURED_BANK_KIND_STORE,
    { 32, 32, 32, 32, 16 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_3_WIDE, CURED_BANK_KIND_LOAD,
    { 32, 32, 32, 32, 16 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_3_WIDE, CURED_BANK_KIND_STORE,
    { 32, 32, 32, 32, 16 }, 32, false, false, SHARE_ROW },

  /* The guide's rule. It adds that most accesses of 128 bits take an additional turn, without
   * saying which: that turn is omitted here. */
  { CURED_BANK_ARCH_2, CURED_BANK_KIND_LOAD,
    { 32, 32, 32, 16, 8 }, 32, false, false, SHARE_ROW },
  { CURED_BANK_ARCH_2, CURED_BANK_KIND_STORE,
    { 32, 32, 32, 16, 8 }, 32, false, false, SHARE_ROW },

  /* The guide's rule; wider accesses were split into several of 32 bits. */
  { CURED_BANK_ARCH_1, CURED_BANK_KIND_LOAD,
    { 16, 16, 16, 16, 16 }, 32, false, true, SHARE_ONE_WORD },
  { CURED_BANK_ARCH_1, CURED_BANK_KIND_STORE,
    { 16, 16, 16, 16, 16 }, 32, false, true, SHARE_PLACE },
};
/* clang-format on */

/* One word of one lane, while its group is served. */
typedef struct
{
  uint32_t word;
  uint32_t key; /* what SHARE_ROW and SHARE_PLACE compare within a bank */
  uint8_t lane, bank;
  uint8_t turn; /* wavefront of the group, from 0 */
  bool is_broadcast;
} Item;

static int
get_width_index (unsigned width)
{
  switch (width)
    {
    case 8: return 0;
    case 16: return 1;
    case 32: return 2;
    case 64: return 3;
    case 128: return 4;
    default: return -1;
    }
}

static const Rule *
find_rule (const CuredBankAccess *access, int width_index)
{
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (rules[i].arch == access->arch && rules[i].kind == access->kind && width_index >= 0 &&
        rules[i].group[width_index] > 0)
      return &rules[i];
  return NULL;
}

/* Measured: a load of 64 bits is served for the whole warp at once, and one of 128 bits for half
 * warps, if in each pair of lanes (n, n xor 1) the addresses are equal or a lane is inactive, in
 * all pairs of the warp; or the same for the pairs (n, n xor 2). Then a group needs no more bytes
 * than the banks deliver. The condition concerns the warp, not the group. */
static bool
can_merge (const uint32_t *addresses, uint32_t mask, unsigned distance)
{
  for (unsigned n = 0; n < CURED_BANK_LANES; n++)
    {
      unsigned other = n ^ distance;

      if ((mask >> n & 1) != 0 && (mask >> other & 1) != 0 && addresses[n] != addresses[other])
        return false;
    }
  return true;
}

static void
place (Item *item, CuredBankArch arch)
{
  switch (arch)
    {
    case CURED_BANK_ARCH_1:
      item->bank = (uint8_t) (item->word % 16);
      item->key = item->word / 16;
      break;
    case CURED_BANK_ARCH_3:
      item->bank = (uint8_t) (item->word % 32);
      item->key = item->word / 64;
      break;
    case CURED_BANK_ARCH_3_WIDE:
      item->bank = (uint8_t) (item->word / 2 % 32);
      item->key = item->word / 64;
      break;
    case CURED_BANK_ARCH_2:
    case CURED_BANK_ARCH_5:
    default:
      item->bank = (uint8_t) (item->word % 32);
      item->key = item->word / 32;
      break;
    }
}

/* A bank's turns are assigned in the order in which lanes first access its rows. That order is
 * arbitrary: the counters give the number of turns, not the turn of each lane. A lane accesses
 * a bank only once, or twice in the same row, so a bank has at most 32 turns. */
static unsigned
serve_rows (Item *items, size_t n_items, bool is_sharing)
{
  uint32_t keys[MAX_BANKS][CURED_BANK_LANES], lanes[MAX_BANKS][CURED_BANK_LANES];
  uint8_t n_turns[MAX_BANKS] = { 0 };
  unsigned most = 0;

  for (size_t i = 0; i < n_items; i++)
    {
      Item *item = &items[i];
      unsigned bank = item->bank, turn = 0;

      if (is_sharing)
        while (turn < n_turns[bank] && keys[bank][turn] != item->key)
          turn++;
      else
        turn = n_turns[bank];
      item->turn = (uint8_t) turn;
      if (turn == n_turns[bank])
        {
          keys[bank][turn] = item->key;
          lanes[bank][turn] = 0;
          n_turns[bank]++;
          if (n_turns[bank] > most)
            most = n_turns[bank];
        }
      lanes[bank][turn] |= UINT32_C (1) << item->lane;
    }
  for (size_t i = 0; i < n_items; i++)
    {
      uint32_t served = lanes[items[i].bank][items[i].turn];

      items[i].is_broadcast = (served & (served - 1)) != 0;
    }
  return most;
}

/* Same result as serve_rows() if rows of banks are rows of 32 words and the turns of single lanes
 * are not needed. An interpreter counts every access, so this is its inner loop. */
static unsigned
count_rows (const uint32_t *addresses, uint32_t lanes, unsigned n_words, bool is_sharing)
{
  uint32_t words[MAX_BANKS][CURED_BANK_LANES];
  uint8_t n_turns[MAX_BANKS] = { 0 };
  unsigned most = 0;

  for (unsigned n = 0; lanes != 0; n++, lanes >>= 1)
    for (unsigned w = 0; (lanes & 1) != 0 && w < n_words; w++)
      {
        uint32_t word = addresses[n] / 4 + w;
        unsigned bank = word % 32, turn = is_sharing ? 0 : n_turns[bank];

        while (turn < n_turns[bank] && words[bank][turn] != word)
          turn++;
        if (turn < n_turns[bank])
          continue;
        words[bank][turn] = word;
        n_turns[bank]++;
        if (turn + 1 > most)
          most = turn + 1;
      }
  return most;
}

/* Compute capability 1.x: a step serves one word for all lanes that read it, and one lane of each
 * other bank. The guide does not say which word; here it is one of the bank with the most
 * remaining lanes, and of its words the one that most lanes read. */
static unsigned
serve_steps (Item *items, size_t n_items)
{
  bool is_served[CURED_BANK_LANES] = { false };
  size_t n_left = n_items;
  unsigned turn = 0;

  for (; n_left > 0; turn++)
    {
      bool is_busy[MAX_BANKS] = { false };
      unsigned n_lanes[MAX_BANKS] = { 0 }, n_best = 0;
      size_t best = 0;

      for (size_t i = 0; i < n_items; i++)
        if (!is_served[i])
          n_lanes[items[i].bank]++;
      for (size_t i = 0; i < n_items; i++)
        {
          unsigned n_same = 0;

          if (is_served[i])
            continue;
          for (size_t j = 0; j < n_items; j++)
            n_same += !is_served[j] && items[j].word == items[i].word;
          /* The bank's number of lanes is compared first, then the word's. */
          n_same += n_lanes[items[i].bank] * (CURED_BANK_LANES + 1);
          if (n_same > n_best)
            {
              n_best = n_same;
              best = i;
            }
        }
      is_busy[items[best].bank] = true;
      for (size_t i = 0; i < n_items; i++)
        {
          bool is_word = items[i].word == items[best].word;

          if (is_served[i] || (!is_word && is_busy[items[i].bank]))
            continue;
          items[i].turn = (uint8_t) turn;
          items[i].is_broadcast = is_word && n_best % (CURED_BANK_LANES + 1) > 1;
          is_busy[items[i].bank] = true;
          is_served[i] = true;
          n_left--;
        }
    }
  return turn;
}

/* Derives counts from the turns, which are stored as wavefronts. */
static void
finish (CuredBankCounts *counts, const Rule *rule, CuredBankServed *served, size_t n_served)
{
  counts->conflicts = counts->wavefronts - counts->least;
  if (!rule->is_double)
    return;
  counts->wavefronts *= 2;
  counts->least *= 2;
  for (size_t i = 0; i < n_served; i++)
    served[i].wavefront = (uint16_t) (served[i].wavefront * 2);
}

/* ---- Another block's shared memory ---- */

#define SECTOR_BYTES   32
#define LINE_BYTES     128
#define CYCLES_OF_TURN 1.5
#define WHOLE_SECTOR   UINT32_MAX

/* Cycles per turn and per reply on one channel, if both blocks access each other's memory. */
#define CYCLES_ON_CHANNEL 2.03
#define CYCLES_OF_REPLY   0.65

#define LOW_HALF UINT32_C (0xffff)

/* Since sm_80 the first bytes of a block's shared memory are reserved for the system. */
#define RESERVED_BYTES 1024
#define N_SLOTS        4

/* One of four slots, from two parities of bits of a line's number: requests of one pass have
 * different slots, and incoming stores wait for the channel of outgoing ones. */
#define SLOT_OF(line)    get_sums (line, 0xb5, 0x1da)
#define CHANNEL_OF(line) get_sums (line, 0xda, 0x148)

/* A sector that an access touches. */
typedef struct
{
  uint32_t number;
  uint32_t bytes; /* bit mask of the touched bytes */
  uint16_t turn;  /* its first turn */
  bool is_split;  /* its halves are sent one after the other */
} Sector;

/* How an access is sent to another block's memory. */
typedef struct
{
  unsigned n_turns;
  uint16_t turns[CURED_BANK_LANES]; /* of active lanes: turn in which the bytes are sent */
  unsigned n_replies;               /* number of turns of the replies */
  double on_channel[N_SLOTS];       /* cycles, if the other block does the same access */
  unsigned n_waves;                 /* wavefronts in the other block's banks, summed over passes */
} Sent;

static bool
is_remote_atomic (CuredBankKind kind)
{
  return kind >= CURED_BANK_KIND_REMOTE_ASYNC_REDUCTION && kind <= CURED_BANK_KIND_REMOTE_SWAP;
}

static bool
is_remote (CuredBankKind kind)
{
  return kind >= CURED_BANK_KIND_REMOTE_LOAD && kind <= CURED_BANK_KIND_REMOTE_SWAP;
}

/* Whether there is no reply: such stores of both directions share the channels. */
static bool
is_one_way (CuredBankKind kind)
{
  return kind >= CURED_BANK_KIND_REMOTE_STORE && kind <= CURED_BANK_KIND_REMOTE_ASYNC_REDUCTION;
}

static unsigned
get_sums (uint32_t line, uint32_t high, uint32_t low)
{
  uint32_t number = line + RESERVED_BYTES / LINE_BYTES;

  return (unsigned) (__builtin_parity (number & high) * 2 + __builtin_parity (number & low));
}

/* In the order of their numbers; a lane is in one. */
static unsigned
find_sectors (const uint32_t *addresses, uint32_t mask, unsigned n_bytes, Sector *sectors)
{
  unsigned n = 0;

  for (unsigned l = 0; l < CURED_BANK_LANES; l++)
    {
      uint32_t number = addresses[l] / SECTOR_BYTES;
      uint32_t bytes = ((UINT32_C (1) << n_bytes) - 1) << addresses[l] % SECTOR_BYTES;
      unsigned at = n;

      if ((mask >> l & 1) == 0)
        continue;
      while (at > 0 && sectors[at - 1].number > number)
        at--;
      if (at > 0 && sectors[at - 1].number == number)
        {
          sectors[at - 1].bytes |= bytes;
          continue;
        }
      for (unsigned i = n++; i > at; i--)
        sectors[i] = sectors[i - 1];
      sectors[at] = (Sector){ .number = number, .bytes = bytes };
    }
  return n;
}

static bool
are_whole (const Sector *a, const Sector *b)
{
  return a->bytes == WHOLE_SECTOR && b->bytes == WHOLE_SECTOR &&
         a->number / (LINE_BYTES / SECTOR_BYTES) == b->number / (LINE_BYTES / SECTOR_BYTES);
}

/* A load takes a turn for each sector. A store takes one for each touched half of a sector; but for
 * a sector that is written whole and so is, of those touched in its line of 128 bytes, the one
 * before it or the one behind it, a single one. */
static void
send_sectors (uint32_t mask, const uint32_t *addresses, unsigned n_bytes, bool is_store, Sent *sent)
{
  Sector sectors[CURED_BANK_LANES];
  unsigned n = find_sectors (addresses, mask, n_bytes, sectors);
  uint32_t last = UINT32_MAX;

  for (unsigned i = 0; i < n; i++)
    {
      Sector *sector = &sectors[i];
      uint32_t line = sector->number / (LINE_BYTES / SECTOR_BYTES);

      sector->turn = (uint16_t) sent->n_turns;
      sector->is_split = is_store && !(i > 0 && are_whole (sector, sector - 1)) &&
                         !(i + 1 < n && are_whole (sector, sector + 1)) &&
                         (sector->bytes & LOW_HALF) != 0 && (sector->bytes & ~LOW_HALF) != 0;
      sent->n_turns += 1u + sector->is_split;
      sent->on_channel[CHANNEL_OF (line)] += (1 + sector->is_split) * CYCLES_ON_CHANNEL;
      sent->n_replies += line != last;
      last = line;
    }
  for (unsigned l = 0; l < CURED_BANK_LANES; l++)
    for (unsigned i = 0; i < n && (mask >> l & 1) != 0; i++)
      if (sectors[i].number == addresses[l] / SECTOR_BYTES)
        sent->turns[l] = (uint16_t) (sectors[i].turn +
                                     (sectors[i].is_split && addresses[l] % SECTOR_BYTES >= 16));
}

/* Turns if @n_lanes are sent together. A store's single complete sector is sent in halves. */
static unsigned
count_least_turns (CuredBankKind kind, unsigned n_lanes, unsigned n_bytes)
{
  unsigned n_whole = n_lanes * n_bytes / SECTOR_BYTES;
  unsigned rest = n_lanes * n_bytes % SECTOR_BYTES, n_sectors = n_whole + (rest > 0);

  if (is_remote_atomic (kind) && n_lanes <= 1)
    return n_lanes;
  if (kind == CURED_BANK_KIND_REMOTE_SWAP)
    return 2 * n_sectors + (n_sectors + 1) / 2;
  if (is_remote_atomic (kind))
    return n_sectors + (n_sectors + 3) / 4;
  if (kind == CURED_BANK_KIND_REMOTE_LOAD)
    return n_sectors;
  return (n_whole == 1 ? 2 : n_whole) + (rest + SECTOR_BYTES / 2 - 1) / (SECTOR_BYTES / 2);
}

/* Lanes of an atomic operation at different words of one line. */
typedef struct
{
  uint32_t line, lanes;
} Request;

/* Selects the requests of the next pass: in the order of the lanes, the first line of each slot
 * takes its lanes except those whose bank is used by an earlier lane of the slot, waiting or
 * taken. Removes the lanes taken from @left. */
static unsigned
take_pass (const uint32_t *addresses, uint32_t *left, unsigned n_bytes, unsigned line_bytes,
           Request *requests)
{
  const unsigned n_banks = LINE_BYTES / n_bytes;
  uint32_t banks[N_SLOTS] = { 0 };
  unsigned n = 0;

  for (unsigned l = 0; l < CURED_BANK_LANES; l++)
    {
      uint32_t bank = UINT32_C (1) << addresses[l] / n_bytes % n_banks;
      unsigned at = 0;

      if ((*left >> l & 1) == 0)
        continue;
      while (at < n && SLOT_OF (requests[at].line * line_bytes / LINE_BYTES) !=
                           SLOT_OF (addresses[l] / LINE_BYTES))
        at++;
      if (at == n)
        requests[n++] = (Request){ .line = addresses[l] / line_bytes };
      bool is_free = (banks[at] & bank) == 0;
      banks[at] |= bank;
      if (requests[at].line != addresses[l] / line_bytes || !is_free)
        continue;
      requests[at].lanes |= UINT32_C (1) << l;
      *left &= ~(UINT32_C (1) << l);
    }
  return n;
}

/* A pass of requests of single lanes takes a turn for each. If any of them has several lanes,
 * each request takes one, and another one for each of its sectors. A compare and swap sends two
 * numbers per lane: its lines have 64 bytes, and a sector takes two turns. */
static void
send_passes (const CuredBankAccess *access, const uint32_t *addresses, unsigned n_bytes, Sent *sent)
{
  bool is_swap = access->kind == CURED_BANK_KIND_REMOTE_SWAP;
  unsigned line_bytes = is_swap ? LINE_BYTES / 2 : LINE_BYTES,
           n_together = CURED_BANK_LANES * 4 / n_bytes;
  uint32_t left = access->mask, together = UINT32_MAX >> (CURED_BANK_LANES - n_together);

  while (left != 0)
    {
      Request requests[N_SLOTS];
      uint32_t before = left;
      unsigned n = take_pass (addresses, &left, n_bytes, line_bytes, requests);
      bool has_several = false;

      for (unsigned i = 0; i < n; i++)
        has_several |= (requests[i].lanes & (requests[i].lanes - 1)) != 0;
      for (unsigned i = 0; i < n; i++)
        {
          unsigned first = sent->n_turns, n_before = sent->n_replies;

          sent->n_turns += has_several;
          for (unsigned sector = 0; sector < LINE_BYTES / SECTOR_BYTES; sector++)
            {
              bool is_touched = false;

              for (unsigned l = 0; l < CURED_BANK_LANES; l++)
                if ((requests[i].lanes >> l & 1) != 0 &&
                    addresses[l] / SECTOR_BYTES % (LINE_BYTES / SECTOR_BYTES) == sector)
                  {
                    is_touched = true;
                    sent->turns[l] = (uint16_t) sent->n_turns;
                  }
              sent->n_turns += is_touched * (is_swap && has_several ? 2u : 1u);
              sent->n_replies += is_touched;
            }
          sent->on_channel[CHANNEL_OF (requests[i].line * line_bytes / LINE_BYTES)] +=
              (sent->n_turns - first) * CYCLES_ON_CHANNEL +
              (sent->n_replies - n_before) * (is_one_way (access->kind) ? 0 : CYCLES_OF_REPLY);
        }
      for (unsigned l = 0; l < CURED_BANK_LANES; l += n_together)
        sent->n_waves +=
            count_rows (addresses + l, (before & ~left) >> l & together, n_bytes / 4, false);
    }
}

static void
send (const CuredBankAccess *access, const uint32_t *addresses, unsigned n_bytes, Sent *sent)
{
  Request requests[N_SLOTS];
  uint32_t left = access->mask;

  *sent = (Sent){ 0 };
  if (is_remote_atomic (access->kind))
    send_passes (access, addresses, n_bytes, sent);
  else if (access->kind != CURED_BANK_KIND_REMOTE_ASYNC_STORE)
    send_sectors (left, addresses, n_bytes, access->kind != CURED_BANK_KIND_REMOTE_LOAD, sent);
  /* In the passes of atomic operations, of which each is sent as a store. */
  else
    while (left != 0)
      {
        uint32_t before = left;

        take_pass (addresses, &left, n_bytes, LINE_BYTES, requests);
        send_sectors (before & ~left, addresses, n_bytes, true, sent);
      }
}

static void
serve_remote (const CuredBankAccess *access, const uint32_t *addresses, unsigned n_bytes,
              CuredBankCounts *counts, CuredBankServed *served, size_t *n_served)
{
  unsigned n_lanes = (unsigned) __builtin_popcount (access->mask);
  unsigned packed = count_least_turns (access->kind, n_lanes, n_bytes);
  Sent sent;

  send (access, addresses, n_bytes, &sent);
  counts->wavefronts = sent.n_turns;
  counts->least = packed < sent.n_turns ? packed : sent.n_turns;
  counts->conflicts = counts->wavefronts - counts->least;
  for (unsigned l = 0; l < CURED_BANK_LANES && served != NULL; l++)
    for (unsigned w = 0; w < (n_bytes > 4 ? n_bytes / 4 : 1) && (access->mask >> l & 1) != 0; w++)
      {
        uint32_t word = addresses[l] / 4 + w;
        bool is_broadcast = false;

        for (unsigned k = 0; k < CURED_BANK_LANES; k++)
          is_broadcast |= k != l && (access->mask >> k & 1) != 0 &&
                          addresses[k] / 4 == addresses[l] / 4 && sent.turns[k] == sent.turns[l];
        served[(*n_served)++] = (CuredBankServed){
          .word = word,
          .wavefront = sent.turns[l],
          .lane = (uint8_t) l,
          .bank = (uint8_t) (word % 32),
          .group = (uint8_t) sent.turns[l],
          .is_broadcast = is_broadcast,
        };
      }
}

/* served: room for CURED_BANK_MAX_SERVED, or NULL */
static bool
model (const CuredBankAccess *access, CuredBankCounts *counts, CuredBankServed *served,
       size_t *n_served)
{
  int width_index = get_width_index (access->width);
  const Rule *rule = find_rule (access, width_index);
  unsigned n_bytes = access->width / 8, n_words = n_bytes > 4 ? n_bytes / 4 : 1;
  uint32_t addresses[CURED_BANK_LANES];

  *counts = (CuredBankCounts){ 0 };
  if (rule == NULL)
    return false;

  for (unsigned n = 0; n < CURED_BANK_LANES; n++)
    {
      addresses[n] = access->addresses[n] & ~(uint32_t) (n_bytes - 1);
      if (addresses[n] != access->addresses[n] && n < rule->n_lanes && (access->mask >> n & 1) != 0)
        counts->misaligned |= UINT32_C (1) << n;
    }
  if (is_remote (access->kind))
    {
      serve_remote (access, addresses, n_bytes, counts, served, n_served);
      return true;
    }
  unsigned group = rule->group[width_index];
  if (rule->is_merging && group < CURED_BANK_LANES &&
      (can_merge (addresses, access->mask, 1) || can_merge (addresses, access->mask, 2)))
    group *= 2;
  unsigned n_parts = rule->is_split ? n_words : 1;

  if (served == NULL && access->arch == CURED_BANK_ARCH_5)
    {
      uint32_t group_mask = UINT32_MAX >> (CURED_BANK_LANES - group);

      for (unsigned begin = 0; begin < rule->n_lanes; begin += group)
        {
          uint32_t lanes = access->mask >> begin & group_mask;

          counts->wavefronts +=
              count_rows (addresses + begin, lanes, n_words, rule->sharing == SHARE_ROW);
          counts->least += lanes != 0;
        }
      finish (counts, rule, NULL, 0);
      return true;
    }

  for (unsigned begin = 0; begin < rule->n_lanes; begin += group)
    for (unsigned part = 0; part < n_parts; part++)
      {
        Item items[CURED_BANK_MAX_SERVED];
        size_t n_items = 0;
        unsigned n_turns = 0;

        for (unsigned n = begin; n < begin + group; n++)
          for (unsigned w = part; w < n_words && (access->mask >> n & 1) != 0; w += n_parts)
            {
              Item *item = &items[n_items++];

              *item = (Item){ .word = addresses[n] / 4 + w, .lane = (uint8_t) n };
              place (item, access->arch);
              if (rule->sharing == SHARE_PLACE)
                item->key = n_bytes < 4 ? addresses[n] : item->word;
            }
        if (n_items == 0)
          continue;

        if (rule->sharing == SHARE_ONE_WORD)
          n_turns = serve_steps (items, n_items);
        else
          n_turns = serve_rows (items, n_items, rule->sharing != SHARE_NOTHING);
        for (size_t i = 0; i < n_items && served != NULL; i++)
          served[(*n_served)++] = (CuredBankServed){
            .word = items[i].word,
            .wavefront = (uint16_t) (counts->wavefronts + items[i].turn),
            .lane = items[i].lane,
            .bank = items[i].bank,
            .group = (uint8_t) counts->least,
            .is_broadcast = items[i].is_broadcast,
          };
        counts->wavefronts += n_turns;
        counts->least++;
      }
  finish (counts, rule, served, served != NULL ? *n_served : 0);
  return true;
}

/* @access: any values are allowed
 * @counts: (out caller-allocates): zero if the result is false
 *
 * Counts what an access costs. Thread-safe: neither allocates nor keeps state.
 * Returns: false if there is no rule for the kind at this width on this architecture: it was not
 *   measured, or there is no such instruction */
bool
cured_bank_model_count (const CuredBankAccess *access, CuredBankCounts *counts)
{
  return model (access, counts, NULL, NULL);
}

/* @access: any values are allowed
 * @picture: (out caller-allocates): empty if the result is false; entries of its array past the
 *   last are not written
 *
 * Counts, and determines which lane is served in which wavefront from which bank. The number of
 * wavefronts is the hardware's; the order of a bank's words is arbitrary, since it can't be
 * measured: they are served in the order of the lanes.
 * Returns: as cured_bank_model_count() */
bool
cured_bank_model_explain (const CuredBankAccess *access, CuredBankPicture *picture)
{
  picture->n_banks = access->arch == CURED_BANK_ARCH_1 ? 16 : 32;
  picture->n_served = 0;
  return model (access, &picture->counts, picture->served, &picture->n_served);
}

/* Returns: whether it is an access to another block's shared memory */
bool
cured_bank_kind_is_remote (CuredBankKind kind)
{
  return is_remote (kind);
}

/* Cycles of a store of 8 or 16 bits, but for its turns. The other block reads a word of which a part
 * is written: wavefronts take two cycles, and so do lines of one slot, one after the other. If it has
 * no other lines, each further wavefront takes a cycle. Measured. */
static double
get_narrow_cycles (uint32_t mask, const uint32_t *addresses, unsigned n_bytes, unsigned n_turns,
                   unsigned n_waves)
{
  Sector sectors[CURED_BANK_LANES];
  unsigned n = find_sectors (addresses, mask, n_bytes, sectors);
  unsigned in_slot[N_SLOTS] = { 0 }, n_lines = 0, most = 0;
  uint32_t last = UINT32_MAX;
  double cycles = 2.27, least = 0;

  for (unsigned i = 0; i < n; i++)
    {
      uint32_t line = sectors[i].number / (LINE_BYTES / SECTOR_BYTES);
      uint32_t some = sectors[i].bytes | sectors[i].bytes >> 1, all = sectors[i].bytes;

      some = (some | some >> 2) & UINT32_C (0x11111111);
      all &= all >> 1;
      all = all & all >> 2 & UINT32_C (0x11111111);
      cycles = some == all ? cycles : 2.78;
      if (line == last)
        continue;
      last = line;
      n_lines++;
      unsigned slot = SLOT_OF (line);
      in_slot[slot]++;
      most = in_slot[slot] > most ? in_slot[slot] : most;
    }
  if (n_lines == 1)
    least = n == 2 && n_turns == 2 && cycles > 2.5 ? 3.74 : 0;
  else
    least = 2 * most + 1.97 + (n_waves - 1.0) * (n_lines == most ? 1 : n_lines == 2 ? 0.5 : 0);
  cycles = n_waves * 2.0 > cycles ? n_waves * 2.0 : cycles;
  return cycles > least ? cycles : least;
}

/* @access: to another block's shared memory
 * @is_mutual: that block accesses this one's memory the same way
 *
 * Cycles of the accessing multiprocessor if many warps repeat such accesses: 1.5 per
 * turn and, if they are mutual, the same per turn of the replies: one for each line that a load
 * reads, and for each sector of an atomic operation. With mutual st.async and red.async, a turn
 * takes 11/7 cycles. All but loads wait for the busiest of four channels. An access takes at
 * least the wavefronts in the other block's banks, with loads never merged: for atomic operations
 * two cycles each and one more for each half warp of 64 bits, for stores of 8 and 16 bits those
 * of get_narrow_cycles(); and at least the cycles of an access to a single word.
 * Returns: the cycles; 0 if it does not access another block's memory */
double
cured_bank_model_get_remote_cycles (const CuredBankAccess *access, bool is_mutual)
{
  /* By width, measured. */
  static const struct
  {
    double least[5], more[5];
    double by_wave;
  } rows[] = {
    { { 2, 2, 1.5, 2.05, 4.12 }, { 0 }, 1 },
    { { 0, 0, 2, 3, 5.03 }, { 0 }, 1 },
    { { 0, 0, 2, 3, 5.03 }, { 0 }, 0 },
    { { 0, 0, 2, 3, 0 }, { 0 }, 1 },
    { { 0, 0, 3, 4, 0 }, { 0 }, 2 },
    { { 0, 0, 3.38, 6.56, 0 }, { 0, 0, 0, 2, 0 }, 2 },
    { { 0, 0, 4, 7.07, 0 }, { 0, 0, 1, 3, 0 }, 2 },
  };
  unsigned row = access->kind - CURED_BANK_KIND_REMOTE_LOAD;
  unsigned width = (unsigned) get_width_index (access->width), n_bytes = access->width / 8;
  CuredBankAccess own = *access;
  CuredBankCounts counts = { 0 };
  Sent sent;

  own.kind = CURED_BANK_KIND_STORE;
  if (!is_remote (access->kind) || find_rule (access, (int) width) == NULL || access->mask == 0)
    return 0;
  for (unsigned l = 0; l < CURED_BANK_LANES; l++)
    own.addresses[l] = access->addresses[l] & ~(uint32_t) (n_bytes - 1);
  send (access, own.addresses, n_bytes, &sent);
  cured_bank_model_count (&own, &counts);

  double cycles = counts.wavefronts * rows[row].by_wave, least = rows[row].least[width];
  double turns = sent.n_turns * CYCLES_OF_TURN;
  if (is_remote_atomic (access->kind))
    {
      bool is_split =
          n_bytes == 8 && (access->mask & LOW_HALF) != 0 && (access->mask & ~LOW_HALF) != 0;

      cycles = sent.n_waves * rows[row].by_wave + 1 + is_split + rows[row].more[width];
    }
  else if (row == 1 && access->width < 32)
    cycles =
        get_narrow_cycles (access->mask, own.addresses, n_bytes, sent.n_turns, counts.wavefronts);
  /* For a single request of several lanes. */
  if ((row == 4 || row == 5) && width == 2 && sent.n_turns == 2 && sent.n_replies == 1)
    least = 3.65;
  cycles = cycles > least ? cycles : least;
  if (is_mutual)
    turns = is_one_way (access->kind) ? sent.n_turns * 11.0 / 7
                                      : (sent.n_turns + sent.n_replies) * CYCLES_OF_TURN;
  for (unsigned i = 0; i < N_SLOTS && is_mutual && row > 0; i++)
    turns = sent.on_channel[i] > turns ? sent.on_channel[i] : turns;
  return cycles > turns ? cycles : turns;
}
