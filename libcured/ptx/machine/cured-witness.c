/* SPDX-License-Identifier: MIT
 * What a launch reports while it runs: findings, output, an early end. */

#include "base/cured-base-internal.h"
#include "ptx/cured-bank-kind-internal.h"
#include "ptx/cured-finding-internal.h"
#include "ptx/machine/cured-machine-private.h"

#define NO_SITE G_MAXUINT32

/* More shared memory than any block has: an address past it is no index of an array. */
#define MAX_SHARED_BYTES (256u << 10)

void
_cured_grid_stop (CuredPtxGrid *grid, CuredEnd end)
{
  g_atomic_int_compare_and_exchange (&grid->stop, CURED_END_DONE, (int) end);
}

void
_cured_block_print (CuredBlock *block, const char *text, gsize length)
{
  if (block->output == NULL)
    block->output = g_string_new (NULL);
  if (block->output->len < CURED_OUTPUT_BYTES)
    g_string_append_len (block->output, text, (gssize) length);
}

/* ---- Gathering ---- */

/* What makes two findings one. */
typedef struct
{
  CuredFindingKind kind;
  guint32 here, there;
} Key;

typedef struct
{
  Key key;
  guint64 block; /* of the occurrence that is described */
  gboolean is_weak;
  CuredFinding *finding;
} Kept;

static guint
hash_key (gconstpointer data)
{
  const Key *key = data;

  return (key->here * 31 + key->there) * 31 + (guint) key->kind;
}

static gboolean
equal_key (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->kind == y->kind && x->here == y->here && x->there == y->there;
}

CURED_FREE_FUNC (Kept, kept_free, finding, cured_finding_free)

/* Whole numbers, rounded down: the element before the first one is -1. */
static gint64
divide_down (gint64 a, gint64 b)
{
  return a / b - (a % b < 0 ? 1 : 0);
}

/* What a source calls the variable: the last part of a mangled name, such as "tile" of
 * "_ZZ6matmulE4tile_0"; other names are returned as they are. */
static char *
make_plain_name (const char *name)
{
  gsize length = strlen (name), end = length;

  if (!g_str_has_prefix (name, "_Z"))
    return g_strdup (name);
  while (end > 0 && g_ascii_isdigit (name[end - 1]))
    end--;
  if (end > 0 && end < length && name[end - 1] == '_')
    length = end - 1;
  while (length > 0 && name[length - 1] == 'E')
    length--;
  for (gsize n = 1; n < length; n++)
    {
      gsize begin = length - n, digits = begin;

      while (digits > 0 && g_ascii_isdigit (name[digits - 1]))
        digits--;
      if (digits < begin && !g_ascii_isdigit (name[begin]) &&
          g_ascii_strtoull (name + digits, NULL, 10) == n)
        return g_strndup (name + begin, n);
    }
  return g_strdup (name);
}

/* "c[1024]", "c[1024] + 2 bytes" */
static char *
describe_element (const char *name, gint64 offset, gint64 element_bytes)
{
  gint64 element = divide_down (offset, element_bytes), rest = offset - element * element_bytes;

  if (rest != 0)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s[%" PRId64 "] + %" PRId64 " byte",
                                         "%s[%" PRId64 "] + %" PRId64 " bytes", (gulong) rest),
                            name, element, rest);
  return g_strdup_printf ("%s[%" PRId64 "]", name, element);
}

static gsize
get_access_bytes (const CuredPtxInst *inst)
{
  return inst != NULL && inst->n_types > 0 ? MAX (_cured_ptx_types[inst->types[0]].bytes, 1) : 1;
}

/* Compilers declare arrays of bytes: the source knows what an element of @name is.
 *
 * @bytes: of an element as PTX declares it; 0: not known
 * @otherwise: what it is where the source does not say */
static gsize
find_element (const CuredPtxGrid *grid, const char *name, gsize bytes, gsize otherwise)
{
  gsize declared = bytes == 1 && grid->launch->source != NULL
                       ? _cured_source_find_element (grid->launch->source, name)
                       : 0;

  return declared > 0 ? declared : bytes > 1 ? bytes : otherwise;
}

static char *
describe_global (const CuredPtxGrid *grid, const CuredPtxInst *inst, guint64 address)
{
  const CuredRegion *region = _cured_memory_find_near (grid->memory, address);
  g_autofree char *name = NULL;
  gint64 offset = 0;

  if (region == NULL)
    return g_strdup_printf (_ ("address 0x%" PRIx64), address);
  offset = (gint64) (address - region->low);
  if (region->name == NULL)
    return g_strdup_printf (_ ("byte %" PRId64 " of the allocation at 0x%" PRIx64), offset,
                            region->low);
  name = make_plain_name (region->name);
  return describe_element (name, offset,
                           (gint64) find_element (grid, name, region->element_bytes,
                                                  region->element_bytes > 0
                                                      ? region->element_bytes
                                                      : get_access_bytes (inst)));
}

/* NULL: no variable is there. @is_near: the last one that begins before is one, too */
static const CuredPtxShared *
find_shared (const CuredPtxModule *module, const CuredPtxFunction *entry, gsize dynamic_bytes,
             guint64 address, gboolean is_near, gsize *offset)
{
  const CuredPtxShared *near = NULL;

  for (guint i = 0; i < module->n_shared; i++)
    {
      const CuredPtxShared *shared = &module->shared[i];
      gboolean is_dynamic = shared->size == 0;
      gsize begin = is_dynamic ? entry->shared_bytes : shared->offset;
      gsize size = is_dynamic ? dynamic_bytes : shared->size;

      if ((shared->function != G_MAXUINT32 && &module->functions[shared->function] != entry) ||
          address < begin || (address - begin >= size && (!is_near || size == 0)))
        continue;
      if (near == NULL || address - begin < *offset)
        {
          *offset = (gsize) (address - begin);
          near = shared;
        }
    }
  return near;
}

/* The array of @entry that an address in shared memory is in, as the source calls it; NULL: none
 * does. (transfer full) */
char *
_cured_ptx_name_shared (const CuredPtxModule *module, const char *entry, gsize dynamic_bytes,
                        guint64 address)
{
  for (guint i = 0; i < module->n_functions; i++)
    {
      const CuredPtxFunction *function = &module->functions[i];
      const CuredPtxShared *shared = NULL;
      gsize offset = 0;

      if (!function->is_entry || !g_str_equal (function->name, entry))
        continue;
      shared = find_shared (module, function, dynamic_bytes, address, FALSE, &offset);
      return shared != NULL ? make_plain_name (shared->name) : NULL;
    }
  return NULL;
}

/* @inst: (nullable): the access */
static char *
describe_shared (const CuredPtxGrid *grid, const CuredPtxInst *inst, guint64 address)
{
  gsize offset = 0;
  const CuredPtxShared *shared = find_shared (grid->module, grid->entry, grid->launch->shared_bytes,
                                              address, address < MAX_SHARED_BYTES, &offset);
  gsize element_bytes = 1;
  g_autofree char *name = NULL, *element = NULL;

  if (shared == NULL)
    return g_strdup_printf (_ ("shared memory, byte %" PRId64), (gint64) address);
  name = make_plain_name (shared->name);
  element_bytes = find_element (grid, name, shared->element_bytes, get_access_bytes (inst));
  element = describe_element (name, (gint64) offset, (gint64) element_bytes);
  return g_strdup_printf (_ ("%s (shared memory, byte %" PRIu64 ")"), element, address);
}

static char *
describe (const CuredPtxGrid *grid, const CuredPtxInst *inst, CuredSpace space, guint64 address)
{
  switch (space)
    {
    case CURED_SPACE_SHARED: return describe_shared (grid, inst, address);
    case CURED_SPACE_LOCAL:
      return g_strdup_printf (_ ("local memory, byte %" PRId64), (gint64) address);
    case CURED_SPACE_PARAM:
      return g_strdup_printf (_ ("the parameters, byte %" PRId64), (gint64) address);
    case CURED_SPACE_GENERIC:
      /* Where there is nothing to name. */
      return address == 0 ? NULL : describe_global (grid, inst, address);
    case CURED_SPACE_GLOBAL:
    case CURED_SPACE_CONST: return describe_global (grid, inst, address);
    case CURED_N_SPACES:
    default: return NULL;
    }
}

static void
fill_side (const CuredPtxGrid *grid, const CuredWitness *witness, CuredFindingSide *side)
{
  const guint *sizes = grid->launch->grid;
  guint64 block = witness->block;
  guint x = MAX (sizes[0], 1), y = MAX (sizes[1], 1);

  if (witness->inst != NULL)
    {
      const CuredPtxModule *module = grid->module;

      side->line = witness->inst->line;
      side->ptx_line = witness->inst->ptx_line;
      if (module != NULL && side->line > 0 && witness->inst->file < module->n_files)
        side->file = g_strdup (module->files[witness->inst->file]);
    }
  side->what = witness->what;
  side->block[0] = (guint) (block % x);
  side->block[1] = (guint) (block / x % y);
  side->block[2] = (guint) (block / x / y);
  side->warp = witness->warp;
  side->lanes = witness->lanes;
}

/* Keeps a finding, or counts it where it is known already.
 *
 * @grid:
 * @kind: what it is
 * @here: the access that was caught
 * @there: (nullable): the other party
 * @space: of @address; GENERIC with 0: nothing is touched
 * @address: of what is touched
 * @detail_format: (nullable): one more sentence
 *
 * Of several occurrences the one of the lowest block is described, and of these the first, so that
 * the number of processors changes nothing; one that is weak only where all are. Any thread. */
void
_cured_grid_report (CuredPtxGrid *grid, CuredFindingKind kind, const CuredWitness *here,
                    const CuredWitness *there, CuredSpace space, uint64_t address,
                    const char *detail_format, ...)
{
  Key key = { .kind = kind,
              .here = here->inst != NULL ? here->inst->site : NO_SITE,
              .there = there != NULL && there->inst != NULL ? there->inst->site : NO_SITE };
  Kept *kept = NULL;
  CuredFinding *finding = NULL;
  guint64 count = 0;
  va_list arguments;

  g_mutex_lock (&grid->mutex);
  if (grid->findings == NULL)
    grid->findings = g_hash_table_new_full (hash_key, equal_key, NULL, (GDestroyNotify) kept_free);
  kept = g_hash_table_lookup (grid->findings, &key);
  if (kept == NULL && g_hash_table_size (grid->findings) < CURED_MAX_FINDINGS)
    {
      kept = CURED_NEW (Kept, .key = key, .block = G_MAXUINT64, .is_weak = TRUE,
                        .finding = g_new0 (CuredFinding, 1));
      kept->finding->kind = kind;
      g_hash_table_insert (grid->findings, &kept->key, kept);
    }
  if (kept == NULL)
    goto out;
  kept->finding->count++;
  if (here->is_weak == kept->is_weak ? here->block >= kept->block : here->is_weak)
    goto out;

  /* The block of the lowest index is described, whichever came first. */
  count = kept->finding->count;
  cured_finding_free (kept->finding);
  finding = kept->finding = g_new0 (CuredFinding, 1);
  finding->kind = kind;
  finding->count = count;
  kept->block = here->block;
  kept->is_weak = here->is_weak;
  finding->kernel = g_strdup (grid->launch->entry);
  fill_side (grid, here, &finding->here);
  if (there != NULL)
    fill_side (grid, there, &finding->there);
  finding->object = describe (grid, here->inst, space, address);
  if (detail_format != NULL)
    {
      va_start (arguments, detail_format);
      finding->detail = g_strdup_vprintf (detail_format, arguments);
      va_end (arguments);
    }

out:
  g_mutex_unlock (&grid->mutex);
}

static gint
compare_kept (gconstpointer a, gconstpointer b)
{
  const Kept *x = *(const Kept *const *) a, *y = *(const Kept *const *) b;

  if (x->block != y->block)
    return x->block < y->block ? -1 : 1;
  if (x->key.here != y->key.here)
    return x->key.here < y->key.here ? -1 : 1;
  if (x->key.kind != y->key.kind)
    return x->key.kind < y->key.kind ? -1 : 1;
  if (x->key.there != y->key.there)
    return x->key.there < y->key.there ? -1 : 1;
  return 0;
}

static bool
is_same_side (const CuredFindingSide *a, const CuredFindingSide *b)
{
  return a->line == b->line && a->line > 0 && g_strcmp0 (a->file, b->file) == 0;
}

/* Compilers make several instructions of a line, whose findings are told as one: puts those first
 * that are not weak. */
static void
put_strong_first (GPtrArray *all)
{
  for (guint i = 0; i < all->len; i++)
    for (guint k = i + 1; ((Kept *) all->pdata[i])->is_weak && k < all->len; k++)
      {
        Kept *weak = all->pdata[i], *other = all->pdata[k];

        if (other->is_weak || other->key.kind != weak->key.kind ||
            !is_same_side (&other->finding->here, &weak->finding->here) ||
            !is_same_side (&other->finding->there, &weak->finding->there))
          continue;
        all->pdata[i] = other;
        all->pdata[k] = weak;
      }
}

/* Moves what was reported to the report, in an order that does not depend on the number of
 * processors: by block, place and kind. Nothing may run any more. */
void
_cured_grid_finish_findings (CuredPtxGrid *grid)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value = NULL;

  if (grid->report->findings == NULL)
    grid->report->findings = g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  if (grid->findings == NULL)
    return;
  g_hash_table_iter_init (&iter, grid->findings);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (all, value);
  g_ptr_array_sort (all, compare_kept);
  put_strong_first (all);
  CURED_EACH_POINTER (Kept, kept, all)
    g_ptr_array_add (grid->report->findings, g_steal_pointer (&kept->finding));
  g_clear_pointer (&grid->findings, g_hash_table_unref);
}

/* What an access is called in a finding. */
const char *
_cured_access_what (CuredAccessKind kind)
{
  switch (kind)
    {
    case CURED_ACCESS_LOAD:
    case CURED_ACCESS_LDMATRIX: return NC_ ("in a finding", "read");
    case CURED_ACCESS_ATOMIC:
    case CURED_ACCESS_REDUCTION: return NC_ ("in a finding", "atomic");
    case CURED_ACCESS_COPY: return NC_ ("in a finding", "asynchronous copy");
    case CURED_ACCESS_STORE:
    case CURED_ACCESS_STMATRIX:
    default: return NC_ ("in a finding", "write");
    }
}

/* One side of a finding: @lanes of @warp at @inst.
 *
 * @what: "read", "write", "atomic", "barrier"; N_() text */
CuredWitness
_cured_warp_witness (const CuredWarp *warp, const CuredPtxInst *inst, uint32_t lanes,
                     const char *what)
{
  return (CuredWitness){
    .inst = inst, .what = what, .block = warp->block->index, .warp = warp->index, .lanes = lanes
  };
}
