/* SPDX-License-Identifier: MIT
 * Structs with made-up values of all their fields, by their field tables. */
#include "record-fill.h"

#include <math.h>
#include <string.h>

#define AT(type, of, field) ((type *) (gpointer) ((guint8 *) (of) + (field)->offset))

static char *
make_text (GRand *random)
{
  static const char *const texts[] = {
    "word", "two “words”", "a\n\t\"b\"\\", "", "ä=1;\x01", "42"
  };

  return g_strdup_printf ("%s%u", texts[g_rand_int_range (random, 0, G_N_ELEMENTS (texts))],
                          g_rand_int (random));
}

static gint64
make_integer (const CuredFieldInfo *field, GRand *random)
{
  double least = field->least < field->most ? field->least : field->is_signed ? -100 : 0;
  double most = field->least < field->most ? MIN (field->most, 0x1p53) : 100;

  return (gint64) g_rand_double_range (random, least, most + 1);
}

static void
fill_list (const CuredFieldInfo *field, gpointer of, guint n, GRand *random)
{
  for (guint i = 0; i < n; i++)
    if (field->type == CURED_FIELD_POINTERS)
      {
        gpointer element = _cured_record_new (field->of);

        if (*AT (GPtrArray *, of, field) == NULL)
          *AT (GPtrArray *, of, field) = g_ptr_array_new_with_free_func (field->of->free);
        record_fill (field->of, element, random);
        g_ptr_array_add (*AT (GPtrArray *, of, field), element);
      }
    else if (field->type == CURED_FIELD_STRUCTS)
      {
        GArray *array = *AT (GArray *, of, field);

        g_array_set_size (array, array->len + 1);
        memset (array->data + (array->len - 1) * field->of->size, 0, field->of->size);
        record_fill (field->of, array->data + (array->len - 1) * field->of->size, random);
      }
}

/* A value for each field but lists of structs that own an array, which others fill. */
void
record_fill (const CuredRecordInfo *info, gpointer of, GRand *random)
{
  for (gsize i = 0; i < info->n_fields; i++)
    {
      const CuredFieldInfo *field = &info->fields[i];
      guint8 *at = AT (guint8, of, field);
      guint n = (guint) g_rand_int_range (random, 0, 3);

      switch ((int) field->type)
        {
        case CURED_FIELD_INTEGER:
        case CURED_FIELD_INTEGERS:
          for (gsize k = 0; k < MAX (field->n, 1); k++)
            g_assert_true (_cured_field_set_integer (field, at + k * field->size,
                                                     make_integer (field, random)));
          break;
        case CURED_FIELD_NAME:
          _cured_field_set_integer (field, at,
                                    g_rand_int_range (random, 0, (gint) field->most + 1));
          break;
        case CURED_FIELD_BOOLEAN: *AT (gboolean, of, field) = g_rand_boolean (random); break;
        case CURED_FIELD_REAL:
          *AT (double, of, field) = (field->flags & CURED_FIELD_NULLABLE) != 0 && n == 0 ? NAN
                                    : n == 1                                             ? 0
                                             : g_rand_double (random) * 1e12;
          break;
        case CURED_FIELD_BIG:
          *AT (guint64, of, field) = (guint64) g_rand_int (random) << 32 | 1;
          break;
        case CURED_FIELD_TEXT:
          g_free (*AT (char *, of, field));
          *AT (char *, of, field) =
              (field->flags & CURED_FIELD_NULLABLE) != 0 && n == 0 ? NULL : make_text (random);
          break;
        case CURED_FIELD_BYTES:
          memset (at, (int) g_rand_int_range (random, 0, 256), field->size);
          break;
        case CURED_FIELD_DATE:
          *AT (GDateTime *, of, field) =
              g_date_time_new_from_unix_utc (g_rand_int_range (random, 0, G_MAXINT));
          break;
        case CURED_FIELD_TEXTS: *AT (char **, of, field) = g_strsplit ("1,nan", ",", -1); break;
        case CURED_FIELD_RECORD: record_fill (field->of, at, random); break;
        case CURED_FIELD_POINTER:
          /* A kernel's reference is a kernel. */
          if (n == 0 || field->of == info)
            break;
          *AT (gpointer, of, field) = _cured_record_new (field->of);
          record_fill (field->of, *AT (gpointer, of, field), random);
          break;
        default: fill_list (field, of, n, random);
        }
    }
  if (info->finish != NULL)
    info->finish (of);
}

/* Makes everything that has no column what a fresh struct has. */
void
record_forget (const CuredRecordInfo *info, gpointer of)
{
  for (gsize i = 0; i < info->n_fields; i++)
    {
      CuredFieldInfo field = info->fields[i];
      CuredRecordInfo one = { .size = info->size, .fields = &field, .n_fields = 1 };

      if (field.type == CURED_FIELD_RECORD && (field.flags & CURED_FIELD_NO_COLUMN) == 0)
        record_forget (field.of, AT (guint8, of, &field));
      if ((field.flags & CURED_FIELD_NO_COLUMN) == 0)
        continue;
      _cured_record_clear (&one, of);
      if (field.size > 0 && field.type <= CURED_FIELD_NAME)
        memset (AT (guint8, of, &field), 0, field.size);
      if (field.type == CURED_FIELD_REAL || field.type == CURED_FIELD_RECORD)
        _cured_record_init (&one, of);
    }
}

/* In one line. */
char *
record_to_text (const CuredRecordInfo *info, gconstpointer of)
{
  g_autoptr (JsonNode) node = cured_record_to_json (info, of);

  return json_to_string (node, FALSE);
}

/* Whether documentation has the name as code, by itself or as the last of a path. */
gboolean
page_names_field (const char *text, const char *name)
{
  g_autofree char *code = g_strdup_printf ("`%s`", name);

  return strstr (text, code) != NULL;
}
