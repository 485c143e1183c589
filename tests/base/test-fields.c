/* SPDX-License-Identifier: MIT
 * The codec of field tables: every type there and back, and what it refuses. */
#include <string.h>

#include "base/cured-error.h"
#include "record-fill.h"
#include "test.h"

typedef struct
{
  guint8 small;
  char *label;
} Part;

typedef struct
{
  int number;
  guint64 large;
  guint three[3];
  gboolean flag;
  double real, sparse;
  guint64 seed;
  char *text;
  guint name;
  guint8 bytes[5];
  char **texts;
  Part part, *pointer;
  GPtrArray *pointers;
  GArray *structs;
  Part *list;
  gsize n_list;
  gint16 *numbers;
  gsize n_numbers;
} Whole;

static void free_part (gpointer data);

/* clang-format off */
static const CuredFieldInfo part_fields[] = {
  CURED_FIELD (Part, small, INTEGER, "", 0, 200, 0),
  CURED_FIELD (Part, label, TEXT, "", 0, 40, CURED_FIELD_NULLABLE),
};

static const CuredRecordInfo part_info = CURED_RECORD (Part, "part", part_fields, free_part);
static const CuredRecordInfo row_info = {
  .name = "row", .size = sizeof (Part), .is_row = TRUE,
  .fields = part_fields, .n_fields = G_N_ELEMENTS (part_fields)
};

static const char *
get_name (int value)
{
  static const char *const names[] = { "zero", "one", "two" };

  return names[value];
}

static const CuredFieldInfo whole_fields[] = {
  CURED_FIELD (Whole, number, INTEGER, "", -5, 1000, CURED_FIELD_REQUIRED),
  CURED_FIELD (Whole, large, INTEGER, "", 0, 0, 0),
  CURED_FIELD (Whole, three, INTEGERS, "", 0, 0, 0),
  CURED_FIELD (Whole, flag, BOOLEAN, "", 0, 0, 0),
  CURED_FIELD (Whole, real, REAL, "", 0, 0, CURED_FIELD_NULLABLE),
  CURED_FIELD (Whole, sparse, REAL, "", 0, 1e30, CURED_FIELD_SPARSE),
  CURED_FIELD (Whole, seed, BIG, "", 0, 0, 0),
  CURED_FIELD_AS ("inner.text", Whole, text, TEXT, "", 0, 0, CURED_FIELD_NULLABLE),
  CURED_FIELD_NAMES ("name", Whole, name, get_name, 3, 0),
  CURED_FIELD (Whole, bytes, BYTES, "", 0, 0, 0),
  CURED_FIELD (Whole, texts, TEXTS, "", 0, 3, CURED_FIELD_NULLABLE),
  CURED_FIELD_OF ("part", Whole, part, RECORD, &part_info, 0, 0, NULL),
  CURED_FIELD_OF ("pointer", Whole, pointer, POINTER, &part_info, 0, 0, NULL),
  CURED_FIELD_OF ("pointers", Whole, pointers, POINTERS, &part_info, 3, CURED_FIELD_NULLABLE, NULL),
  CURED_FIELD_OF ("structs", Whole, structs, STRUCTS, &row_info, 0, 0, NULL),
  CURED_FIELD_LIST (Whole, list, n_list, &part_info, 0, 0),
  CURED_FIELD_INTEGER_LIST (Whole, numbers, n_numbers, 0, 0),
};

static const CuredRecordInfo whole_info = CURED_RECORD (Whole, "whole", whole_fields, NULL);
/* clang-format on */

static void
free_part (gpointer data)
{
  _cured_record_clear (&part_info, data);
  g_free (data);
}

static gboolean
read_text (const char *text, Whole *whole, GError **error)
{
  g_autoptr (JsonNode) node = json_from_string (text, NULL);

  g_assert_nonnull (node);
  return _cured_record_from_json (&whole_info, json_node_get_object (node), whole, error);
}

/* A written record reads back, and is written again alike. */
TEST ("/fields/round-trip")
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (int turn = 0; turn < 300; turn++)
    {
      Whole sent = { .structs = g_array_new (FALSE, TRUE, sizeof (Part)) };
      Whole got = { 0 };

      _cured_record_init (&whole_info, &got);
      record_fill (&whole_info, &sent, random);
      sent.n_list = 1;
      sent.list = g_new0 (Part, 1);
      sent.n_numbers = 2;
      sent.numbers = g_new0 (gint16, 2);
      sent.numbers[1] = (gint16) -turn;
      g_autofree char *text = record_to_text (&whole_info, &sent);
      g_assert_true (MUST (read_text (text, &got, &fail)));
      g_autofree char *again = record_to_text (&whole_info, &got);
      g_assert_cmpstr (text, ==, again);
      for (guint i = 0; i < sent.structs->len; i++)
        {
          g_free (g_array_index (sent.structs, Part, i).label);
          g_free (g_array_index (got.structs, Part, i).label);
        }
      _cured_record_clear (&whole_info, &sent);
      _cured_record_clear (&whole_info, &got);
    }
}

/* A value that is refused leaves no member half set; nor does it leak. */
TEST ("/fields/refused")
{
  static const char *const wrong[] = {
    "{}",
    "{\"number\":null}",
    "{\"number\":1.5}",
    "{\"number\":-6}",
    "{\"number\":1001}",
    "{\"number\":\"1\"}",
    "{\"number\":1,\"large\":-1}",
    "{\"number\":1,\"three\":[1,2,3,4]}",
    "{\"number\":1,\"three\":[-1]}",
    "{\"number\":1,\"three\":[{}]}",
    "{\"number\":1,\"flag\":1}",
    "{\"number\":1,\"real\":\"1\"}",
    "{\"number\":1,\"real\":1e999}",
    "{\"number\":1,\"sparse\":-1}",
    "{\"number\":1,\"seed\":1}",
    "{\"number\":1,\"seed\":\"-1\"}",
    "{\"number\":1,\"seed\":\"18446744073709551616\"}",
    "{\"number\":1,\"inner\":{\"text\":{}}}",
    "{\"number\":1,\"name\":1}",
    "{\"number\":1,\"bytes\":\"AAAA\"}",
    "{\"number\":1,\"bytes\":7}",
    "{\"number\":1,\"texts\":[1]}",
    "{\"number\":1,\"texts\":[\"a\",{}]}",
    "{\"number\":1,\"texts\":[\"1\",\"2\",\"3\",\"4\"]}",
    "{\"number\":1,\"part\":[]}",
    "{\"number\":1,\"part\":{\"small\":201}}",
    "{\"number\":1,\"pointer\":{\"label\":\"a\",\"small\":-1}}",
    "{\"number\":1,\"pointers\":{}}",
    "{\"number\":1,\"pointers\":[{\"label\":\"a\"},7]}",
    "{\"number\":1,\"pointers\":[{},{},{},{}]}",
    "{\"number\":1,\"structs\":[{}]}",
    "{\"number\":1,\"structs\":[[1,\"a\",2]]}",
    "{\"number\":1,\"list\":[{\"small\":1},{\"small\":999}]}",
    "{\"number\":1,\"numbers\":[40000]}",
    "{\"number\":1,\"numbers\":[null]}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      Whole whole = { 0 };

      g_test_message ("%s", wrong[i]);
      FAILS (read_text (wrong[i], &whole, &fail), CURED_ERROR, CURED_ERROR_PROTOCOL, "");
      _cured_record_clear (&whole_info, &whole);
    }
}

/* Missing fields stay, unknown ones are left out, and long texts are cut. */
TEST ("/fields/lenient")
{
  Whole whole = { .large = 7, .name = 2 };

  g_assert_true (MUST (read_text ("{\"number\":1,\"later\":[[{}]],\"name\":\"three\",\"real\":null,"
                                  "\"part\":{\"label\":\"ääääääääääääääääääääääää\"}}",
                                  &whole, &fail)));
  g_assert_cmpuint (whole.large, ==, 7);
  g_assert_cmpuint (whole.name, ==, 2);
  g_assert_cmpuint (strlen (whole.part.label), <=, 40 + strlen ("…"));
  g_assert_true (g_str_has_suffix (whole.part.label, "ä…"));
  g_assert_true (g_utf8_validate (whole.part.label, -1, NULL));
  _cured_record_clear (&whole_info, &whole);
}
