/* SPDX-License-Identifier: MIT
 * What the detectors find: the table, the text, and how a launch gathers it. */
#include "config.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <string.h>

#include "ptx/cured-warp-private.h"

/* Different findings that a launch keeps; whoever has more reads the first. */
#define MAX_FINDINGS 1000

#define NO_SITE G_MAXUINT32

/**
 * cured_finding_info:
 * @kind: of a finding
 *
 * Looks a kind of finding up.
 *
 * Returns: (transfer none): its row of the table
 */
const CuredFindingInfo *
cured_finding_info (CuredFindingKind kind)
{
  static CuredFindingInfo infos[CURED_N_FINDINGS] = {
#define CURED_FINDING_ROW(id, defect, title, meaning)                          \
  { #id, defect, title, meaning },
    CURED_FINDINGS (CURED_FINDING_ROW)
#undef CURED_FINDING_ROW
  };
  static char ids[CURED_N_FINDINGS][32];
  static gsize is_ready = 0;

  g_return_val_if_fail (kind < CURED_N_FINDINGS, NULL);

  /* RACE_SHARED is race-shared to people. */
  if (g_once_init_enter (&is_ready))
    {
      for (guint i = 0; i < CURED_N_FINDINGS; i++)
        {
          gsize n = strlen (infos[i].id);

          g_assert (n < sizeof ids[i]);
          for (gsize k = 0; k < n; k++)
            ids[i][k] =
                infos[i].id[k] == '_' ? '-' : g_ascii_tolower (infos[i].id[k]);
          infos[i].id = ids[i];
        }
      g_once_init_leave (&is_ready, 1);
    }
  return &infos[kind];
}

/**
 * cured_finding_kind_from_id:
 * @id: as files and the protocol have it: "race-shared"
 * @kind: (out): the kind
 *
 * Returns: FALSE for an unknown id; @kind is then unchanged
 */
gboolean
cured_finding_kind_from_id (const char *id, CuredFindingKind *kind)
{
  for (guint i = 0; i < CURED_N_FINDINGS; i++)
    if (g_str_equal (cured_finding_info ((CuredFindingKind) i)->id, id))
      {
        *kind = (CuredFindingKind) i;
        return TRUE;
      }
  return FALSE;
}

/**
 * cured_finding_copy:
 * @self:
 *
 * Returns: (transfer full): another one with the same contents
 */
CuredFinding *
cured_finding_copy (const CuredFinding *self)
{
  CuredFinding *copy = NULL;

  g_return_val_if_fail (self != NULL, NULL);

  copy = g_memdup2 (self, sizeof *self);
  copy->kernel = g_strdup (self->kernel);
  copy->here.file = g_strdup (self->here.file);
  copy->there.file = g_strdup (self->there.file);
  copy->object = g_strdup (self->object);
  copy->detail = g_strdup (self->detail);
  for (gsize i = 0; i < G_N_ELEMENTS (copy->words); i++)
    copy->words[i] = NULL;
  if (self->words[0] != NULL)
    cured_finding_take_what (copy, &copy->here, g_strdup (self->words[0]));
  if (self->words[1] != NULL)
    cured_finding_take_what (copy, &copy->there, g_strdup (self->words[1]));
  return copy;
}

/**
 * cured_finding_take_what:
 * @self: a finding
 * @side: one of its sides
 * @what: (transfer full) (nullable): what that side did, in a word that came
 *   from outside
 *
 * Sets the side's @what, which lives as long as the finding.
 */
void
cured_finding_take_what (CuredFinding *self, CuredFindingSide *side, char *what)
{
  char **word = &self->words[side == &self->there ? 1 : 0];

  g_return_if_fail (side == &self->here || side == &self->there);

  g_free (*word);
  *word = what;
  side->what = what;
}

static void
clear_texts (CuredFinding *self)
{
  g_clear_pointer (&self->kernel, g_free);
  g_clear_pointer (&self->here.file, g_free);
  g_clear_pointer (&self->there.file, g_free);
  g_clear_pointer (&self->object, g_free);
  g_clear_pointer (&self->detail, g_free);
  for (gsize i = 0; i < G_N_ELEMENTS (self->words); i++)
    g_clear_pointer (&self->words[i], g_free);
}

/**
 * cured_finding_free:
 * @self: (transfer full) (nullable):
 *
 * Frees a finding.
 */
void
cured_finding_free (CuredFinding *self)
{
  if (self == NULL)
    return;
  clear_texts (self);
  g_free (self);
}

/* "lane 3", "lanes 0–7, 16" */
static char *
describe_lanes (guint32 lanes)
{
  GString *text = g_string_new (NULL);
  guint n_lanes = 0;
  g_autofree char *numbers = NULL;

  for (guint first = 0; first < 32; first++)
    {
      guint last = first;

      if ((lanes >> first & 1) == 0)
        continue;
      while (last < 31 && (lanes >> (last + 1) & 1) != 0)
        last++;
      g_string_append_printf (text, "%s%u", n_lanes > 0 ? ", " : "", first);
      if (last > first)
        g_string_append_printf (text, "–%u", last);
      n_lanes += last - first + 1;
      first = last;
    }
  numbers = g_string_free (text, FALSE);
  return g_strdup_printf (
      /* Translators: of a warp: “lane 3”, “lanes 0–7, 16”. */
      g_dngettext (GETTEXT_PACKAGE, "lane %s", "lanes %s", n_lanes),
      numbers);
}

static char *
describe_threads (const CuredFindingSide *side)
{
  g_autofree char *lanes = NULL;

  if (side->lanes == 0)
    /* Translators: where a block is in its grid, and a warp's number. */
    return g_strdup_printf (_ ("block (%u, %u, %u), warp %u"),
                            side->block[0],
                            side->block[1],
                            side->block[2],
                            side->warp);
  lanes = describe_lanes (side->lanes);
  /* Translators: where a block is in its grid, a warp's number, and its lanes:
   * “lanes 0–15”. */
  return g_strdup_printf (_ ("block (%u, %u, %u), warp %u, %s"),
                          side->block[0],
                          side->block[1],
                          side->block[2],
                          side->warp,
                          lanes);
}

/* "write at matmul.cu:31 by block (0, 1, 0), warp 2, lanes 0–15" */
static char *
describe_side (const CuredFindingSide *side)
{
  const char *what =
      side->what != NULL
          ? g_dpgettext2 (GETTEXT_PACKAGE, "in a finding", side->what)
          : C_ ("in a finding", "access");
  g_autofree char *threads = describe_threads (side);

  if (side->line > 0 && side->file != NULL)
    {
      g_autofree char *name = g_path_get_basename (side->file);

      return g_strdup_printf (
          /* Translators: “write”, a file, a line, and “block (0, 1, 0), warp
           * 2, lanes 0–15”. */
          _ ("%s at %s:%d by %s"),
          what,
          name,
          side->line,
          threads);
    }
  if (side->ptx_line > 0)
    return g_strdup_printf (
        /* Translators: “write”, a line, and “block (0, 1, 0), warp 2, lanes
         * 0–15”. */
        _ ("%s at line %d of the PTX by %s"),
        what,
        side->ptx_line,
        threads);
  /* Translators: “write” and “block (0, 1, 0), warp 2, lanes 0–15”. */
  return g_strdup_printf (_ ("%s by %s"), what, threads);
}

static char *
describe_heading (const CuredFinding *self)
{
  const char *title = _ (cured_finding_info (self->kind)->title);

  if (self->kernel != NULL && self->object != NULL)
    return g_strdup_printf (
        /* Translators: a finding such as “Race in shared memory”, a kernel,
         * and the variable. */
        _ ("%s in %s: %s"),
        title,
        self->kernel,
        self->object);
  if (self->kernel != NULL)
    /* Translators: a finding such as “Race in shared memory”, and a kernel. */
    return g_strdup_printf (_ ("%s in %s"), title, self->kernel);
  if (self->object != NULL)
    /* Translators: a finding such as “Race in shared memory”, and the
     * variable. */
    return g_strdup_printf (_ ("%s: %s"), title, self->object);
  return g_strdup (title);
}

/**
 * cured_finding_to_string:
 * @self:
 *
 * Says a finding in some lines, for people, without a line break at the end:
 *
 *     Race in shared memory in reduce_naive: tile[3] (shared memory, byte 12)
 *       write at reduce.cu:31 by block (0, 0, 0), warp 1, lanes 0–15
 *       read at reduce.cu:33 by block (0, 0, 0), warp 0, lane 3
 *       640 times
 *
 * Returns: (transfer full):
 */
char *
cured_finding_to_string (const CuredFinding *self)
{
  GString *text = NULL;
  g_autofree char *heading = NULL;
  g_autofree char *here = NULL;

  g_return_val_if_fail (self != NULL, NULL);

  heading = describe_heading (self);
  here = describe_side (&self->here);
  text = g_string_new (NULL);
  g_string_append_printf (text, "%s\n  %s", heading, here);
  if (self->there.what != NULL)
    {
      g_autofree char *there = describe_side (&self->there);

      g_string_append_printf (text, "\n  %s", there);
    }
  if (self->detail != NULL)
    g_string_append_printf (text, "\n  %s", self->detail);
  if (self->count > 1)
    g_string_append_printf (text,
                            g_dngettext (GETTEXT_PACKAGE,
                                         "\n  %" PRIu64 " time",
                                         "\n  %" PRIu64 " times",
                                         (gulong) self->count),
                            self->count);
  return g_string_free (text, FALSE);
}

/* ---- Gathering ---- */

/* What makes two findings one. */
typedef struct
{
  CuredFindingKind kind;
  guint32 here;
  guint32 there;
} Key;

typedef struct
{
  Key key;
  guint64 block; /* of the occurrence that is described */
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
  const Key *x = a;
  const Key *y = b;

  return x->kind == y->kind && x->here == y->here && x->there == y->there;
}

static void
kept_free (Kept *self)
{
  cured_finding_free (self->finding);
  g_free (self);
}

/* Whole numbers, rounded down: the element before the first one is -1. */
static gint64
divide_down (gint64 a, gint64 b)
{
  return a / b - (a % b < 0 ? 1 : 0);
}

/* What a source calls the variable: the last part of a mangled name, such as
 * "tile" of "_ZZ6matmulE4tile_0"; other names are returned as they are. */
static char *
make_plain_name (const char *name)
{
  gsize length = strlen (name);
  gsize end = length;

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
      gsize begin = length - n;
      gsize digits = begin;

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
  gint64 element = divide_down (offset, element_bytes);
  gint64 rest = offset - element * element_bytes;

  if (rest != 0)
    return g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                         "%s[%" PRId64 "] + %" PRId64 " byte",
                                         "%s[%" PRId64 "] + %" PRId64 " bytes",
                                         (gulong) rest),
                            name,
                            element,
                            rest);
  return g_strdup_printf ("%s[%" PRId64 "]", name, element);
}

static char *
describe_global (const CuredGrid *grid, guint64 address)
{
  const CuredRegion *region = _cured_memory_find_near (grid->memory, address);
  g_autofree char *name = NULL;
  gint64 offset = 0;

  if (region == NULL)
    return g_strdup_printf (_ ("address 0x%" PRIx64), address);
  offset = (gint64) (address - region->low);
  if (region->name == NULL)
    return g_strdup_printf (
        _ ("byte %" PRId64 " of the allocation at 0x%" PRIx64),
        offset,
        region->low);
  name = make_plain_name (region->name);
  return describe_element (name, offset, (gint64) region->element_bytes);
}

/* NULL: no variable is there. */
static const CuredPtxShared *
find_shared (const CuredGrid *grid, guint64 address, gsize *offset)
{
  const CuredPtxModule *module = grid->module;

  for (guint i = 0; i < module->n_shared; i++)
    {
      const CuredPtxShared *shared = &module->shared[i];
      gboolean is_dynamic = shared->size == 0;
      gsize begin = is_dynamic ? grid->entry->shared_bytes : shared->offset;
      gsize size = is_dynamic ? grid->launch->shared_bytes : shared->size;

      if ((shared->function == G_MAXUINT32 ||
           &module->functions[shared->function] == grid->entry) &&
          address >= begin && address - begin < size)
        {
          *offset = (gsize) (address - begin);
          return shared;
        }
    }
  return NULL;
}

/* Compilers declare arrays of bytes: then the access tells what an element is.
 *
 * @inst: (nullable): the access */
static char *
describe_shared (const CuredGrid *grid,
                 const CuredPtxInst *inst,
                 guint64 address)
{
  gsize offset = 0;
  const CuredPtxShared *shared = find_shared (grid, address, &offset);
  gsize element_bytes = 1;
  g_autofree char *name = NULL;
  g_autofree char *element = NULL;

  if (shared == NULL)
    return g_strdup_printf (_ ("shared memory, byte %" PRId64),
                            (gint64) address);
  element_bytes = shared->element_bytes;
  if (element_bytes == 1 && inst != NULL && inst->n_types > 0)
    element_bytes = MAX (_cured_ptx_types[inst->types[0]].bytes, 1);
  name = make_plain_name (shared->name);
  element = describe_element (name, (gint64) offset, (gint64) element_bytes);
  return g_strdup_printf (
      _ ("%s (shared memory, byte %" PRIu64 ")"), element, address);
}

static char *
describe (const CuredGrid *grid,
          const CuredPtxInst *inst,
          CuredSpace space,
          guint64 address)
{
  switch (space)
    {
    case CURED_SPACE_SHARED:
      return describe_shared (grid, inst, address);
    case CURED_SPACE_LOCAL:
      return g_strdup_printf (_ ("local memory, byte %" PRId64),
                              (gint64) address);
    case CURED_SPACE_PARAM:
      return g_strdup_printf (_ ("the parameters, byte %" PRId64),
                              (gint64) address);
    case CURED_SPACE_GENERIC:
      /* Where there is nothing to name. */
      return address == 0 ? NULL : describe_global (grid, address);
    case CURED_SPACE_GLOBAL:
    case CURED_SPACE_CONST:
      return describe_global (grid, address);
    case CURED_N_SPACES:
    default:
      return NULL;
    }
}

static void
fill_side (const CuredGrid *grid,
           const CuredWitness *witness,
           CuredFindingSide *side)
{
  const guint *sizes = grid->launch->grid;
  guint64 block = witness->block;
  guint x = MAX (sizes[0], 1);
  guint y = MAX (sizes[1], 1);

  if (witness->inst != NULL)
    {
      const CuredPtxModule *module = grid->module;

      side->line = witness->inst->line;
      side->ptx_line = witness->inst->ptx_line;
      if (module != NULL && side->line > 0 &&
          witness->inst->file < module->n_files)
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
 * @here: who was caught
 * @there: (nullable): the other party
 * @space: of @address; GENERIC with 0: nothing is touched
 * @address: of what is touched
 * @detail_format: (nullable): one more sentence
 *
 * Of several occurrences the one of the lowest block is described, and of these
 * the first, so that the number of processors changes nothing. Any thread. */
void
_cured_grid_report (CuredGrid *grid,
                    CuredFindingKind kind,
                    const CuredWitness *here,
                    const CuredWitness *there,
                    CuredSpace space,
                    uint64_t address,
                    const char *detail_format,
                    ...)
{
  Key key = { .kind = kind,
              .here = here->inst != NULL ? here->inst->site : NO_SITE,
              .there = there != NULL && there->inst != NULL ? there->inst->site
                                                            : NO_SITE };
  Kept *kept = NULL;
  CuredFinding *finding = NULL;
  va_list arguments;

  g_mutex_lock (&grid->mutex);
  if (grid->findings == NULL)
    grid->findings = g_hash_table_new_full (
        hash_key, equal_key, NULL, (GDestroyNotify) kept_free);
  kept = g_hash_table_lookup (grid->findings, &key);
  if (kept == NULL && g_hash_table_size (grid->findings) < MAX_FINDINGS)
    {
      kept = g_new0 (Kept, 1);
      kept->key = key;
      kept->block = G_MAXUINT64;
      kept->finding = g_new0 (CuredFinding, 1);
      kept->finding->kind = kind;
      g_hash_table_insert (grid->findings, &kept->key, kept);
    }
  if (kept == NULL)
    goto out;
  finding = kept->finding;
  finding->count++;
  if (here->block >= kept->block)
    goto out;

  kept->block = here->block;
  clear_texts (finding);
  memset (&finding->there, 0, sizeof finding->there);
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
  const Kept *x = *(const Kept *const *) a;
  const Kept *y = *(const Kept *const *) b;

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

/* Moves what was reported to the report, in an order that does not depend on
 * the number of processors: by block, place and kind. Nothing may run any
 * more. */
void
_cured_grid_finish_findings (CuredGrid *grid)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer value = NULL;

  if (grid->report->findings == NULL)
    grid->report->findings =
        g_ptr_array_new_with_free_func ((GDestroyNotify) cured_finding_free);
  if (grid->findings == NULL)
    return;
  g_hash_table_iter_init (&iter, grid->findings);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    g_ptr_array_add (all, value);
  g_ptr_array_sort (all, compare_kept);
  for (guint i = 0; i < all->len; i++)
    {
      Kept *kept = g_ptr_array_index (all, i);

      g_ptr_array_add (grid->report->findings,
                       g_steal_pointer (&kept->finding));
    }
  g_clear_pointer (&grid->findings, g_hash_table_unref);
}

/* What an access is called in a finding. */
const char *
_cured_access_what (CuredAccessKind kind)
{
  switch (kind)
    {
    case CURED_ACCESS_LOAD:
    case CURED_ACCESS_LDMATRIX:
      return NC_ ("in a finding", "read");
    case CURED_ACCESS_ATOMIC:
    case CURED_ACCESS_REDUCTION:
      return NC_ ("in a finding", "atomic");
    case CURED_ACCESS_COPY:
      return NC_ ("in a finding", "asynchronous copy");
    case CURED_ACCESS_STORE:
    case CURED_ACCESS_STMATRIX:
    default:
      return NC_ ("in a finding", "write");
    }
}

/* One side of a finding: @lanes of @warp at @inst.
 *
 * @what: "read", "write", "atomic", "barrier"; N_() text */
CuredWitness
_cured_warp_witness (const CuredWarp *warp,
                     const CuredPtxInst *inst,
                     uint32_t lanes,
                     const char *what)
{
  return (CuredWitness){ .inst = inst,
                         .what = what,
                         .block = warp->block->index,
                         .warp = warp->index,
                         .lanes = lanes };
}
