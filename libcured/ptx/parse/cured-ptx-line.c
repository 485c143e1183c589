/* SPDX-License-Identifier: MIT
 * Source lines of PTX: .file and .loc. */
#include "ptx/parse/cured-ptx-parser-private.h"

#include "base/cured-base-internal.h"

/* A place in a source file. */
typedef struct
{
  guint64 file, line, column;
} Place;

/* The index in the module's files for a number of `.file`. */
static guint16
get_file (CuredPtxParser *self, guint64 number)
{
  if (number > CURED_MAX_FILE_NUMBER)
    _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID,
                                 _ ("the number of a file is at most %u"), CURED_MAX_FILE_NUMBER);
  if (number >= self->file_numbers->len)
    g_array_set_size (self->file_numbers, (guint) number + 1);
  guint16 *slot = &g_array_index (self->file_numbers, guint16, number);
  if (*slot == 0)
    {
      char *none = NULL;

      if (self->files->len > G_MAXUINT16)
        _cured_ptx_parser_fail_here (self, CURED_ERROR_INVALID, _ ("there are too many files"));
      *slot = (guint16) self->files->len;
      g_array_append_val (self->files, none);
    }
  return *slot;
}

/* Reads `.file 1 "name"`, with an optional time and size. */
void
_cured_ptx_parse_file (CuredPtxParser *self)
{
  guint16 file = get_file (self, _cured_ptx_parser_expect_integer (self));
  CuredPtxToken text = _cured_ptx_parser_take (self, CURED_TOKEN_STRING, N_ ("the name of a file"));
  char **name = &g_array_index (self->files, char *, file);

  g_free (*name);
  *name = g_utf8_make_valid (text.at, (gssize) text.length);
  while (cured_ptx_parser_accept (self, ','))
    _cured_ptx_parser_expect_integer (self);
}

/* A place packed into a pointer, which is a good hash as well. */
static gpointer
get_key (const Place *place)
{
  guint64 key = place->file << 48 ^ place->line << 16 ^ place->column;

  key *= G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  key ^= key >> 32;
  return GSIZE_TO_POINTER (key);
}

static Place
parse_place (CuredPtxParser *self)
{
  Place place;

  place.file = _cured_ptx_parser_expect_integer (self);
  place.line = _cured_ptx_parser_expect_integer (self);
  place.column = _cured_ptx_parser_expect_integer (self);
  return place;
}

/* Reads `.loc file line column`, with optional `function_name label` and `inlined_at file line
 * column`. Code of a file that is not the function's own counts as the line of the own file
 * into which it was inlined, at any depth: if the target was inlined itself, its own `.loc` gave
 * its place. */
void
_cured_ptx_parse_loc (CuredPtxParser *self)
{
  Place place = parse_place (self), at;
  gboolean is_inlined = FALSE;

  while (cured_ptx_parser_accept (self, ','))
    {
      if (_cured_ptx_is_name (&self->token, "function_name"))
        {
          cured_ptx_parser_next (self);
          if (self->token.kind != CURED_TOKEN_NAME && self->token.kind != CURED_TOKEN_WORD)
            _cured_ptx_parser_fail_expected (self, _ ("a label"));
          cured_ptx_parser_next (self);
          if (cured_ptx_parser_accept (self, '+'))
            _cured_ptx_parse_integer (self);
        }
      else if (_cured_ptx_is_name (&self->token, "inlined_at"))
        {
          cured_ptx_parser_next (self);
          is_inlined = TRUE;
          at = parse_place (self);
        }
      else
        _cured_ptx_parser_fail_expected (self, _ ("function_name or inlined_at"));
    }

  if (self->own_file == 0)
    self->own_file = (guint32) place.file;
  if (is_inlined && place.file != self->own_file)
    {
      gpointer key = get_key (&place);

      if (at.file != self->own_file)
        {
          gpointer found = g_hash_table_lookup (self->inlined, get_key (&at));

          if (found != NULL)
            {
              at.file = GPOINTER_TO_SIZE (found) >> 32;
              at.line = GPOINTER_TO_SIZE (found) & 0xffffffffu;
            }
        }
      place = at;
      g_hash_table_insert (self->inlined, key,
                           GSIZE_TO_POINTER (place.file << 32 | (place.line & 0xffffffffu)));
    }
  self->line = place.line <= G_MAXINT32 ? (gint32) place.line : 0;
  self->file = get_file (self, place.file);
}
