/* SPDX-License-Identifier: MIT
 * What the pages of a tab share: what changes with what, notified once. No display. */
#include <string.h>

#include "make-result.h"
#include "model/cured-gui-model.h"
#include "test.h"

/* What was notified since the last look. */
typedef struct
{
  CuredDocument *document;
  guint n_told;
  CuredDocumentChange what;
  gint64 cell; /* as it was told */
  const char *source;
} Heard;

static void
changed_cb (Heard *heard, CuredDocumentChange what)
{
  heard->n_told++;
  heard->what = what;
  heard->cell = cured_document_get_cell (heard->document);
  heard->source = cured_document_get_source (heard->document);
}

static void
listen (Heard *heard)
{
  *heard = (Heard){ .document = cured_document_new () };
  g_signal_connect_swapped (heard->document, "changed", G_CALLBACK (changed_cb), heard);
}

#define assert_heard(heard, n, flags)                                                              \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_assert_cmpuint ((heard)->n_told, ==, n);                                                     \
    g_assert_cmpuint ((heard)->what, ==, flags);                                                   \
    (heard)->n_told = 0;                                                                           \
    (heard)->what = 0;                                                                             \
  }                                                                                                \
  G_STMT_END

static CuredKernel *
get_kernel (const char *id)
{
  return MUST (cured_catalogue_get (id, &fail));
}

static gint64
get_value (CuredDocument *document, const char *name, gsize *parameter)
{
  gsize index;

  g_assert_true (cured_kernel_find_parameter (cured_document_get_kernel (document), name, &index));
  if (parameter != NULL)
    *parameter = index;
  return cured_document_get_point (document, NULL)[index];
}

static CuredResult *
load_result (const MakeResult *what)
{
  char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.cured", NULL);

  make_result (path, what);
  CuredResult *result = MUST (cured_result_load_ready (path, NULL, &fail));
  remove_folder (folder);
  return result;
}

TEST ("/document/result")
{
  Heard heard;
  g_autoptr (CuredResult) result = load_result (&(MakeResult){ .n_tiles = 3 });

  listen (&heard);
  CuredMapView *view = cured_document_get_map_view (heard.document);
  cured_document_set_result (heard.document, result);
  assert_heard (&heard, 1, CURED_DOCUMENT_EVERYTHING);
  /* The map begins at the best cell, and so does the point. */
  g_assert_cmpint (heard.cell, ==, cured_map_view_get_cell (view));
  g_assert_true (cured_map_view_is_best (view, heard.cell));
  g_assert_cmpstr (heard.source, ==, cured_result_get_source (result));

  /* Cell and point are one. */
  cured_map_view_set_cell (view, 0);
  assert_heard (&heard, 1, CURED_DOCUMENT_POINT);
  g_assert_cmpint (cured_document_get_cell (heard.document), ==, 0);
  g_assert_cmpint (get_value (heard.document, "tile", NULL), ==, 32);
  cured_document_set_cell (heard.document, 1);
  assert_heard (&heard, 1, CURED_DOCUMENT_POINT);
  g_assert_cmpint (cured_map_view_get_cell (view), ==, 1);
  cured_document_set_cell (heard.document, 1);
  assert_heard (&heard, 0, 0);
  /* A point that was not measured has no cell; the map stays where it was. */
  {
    gsize blocks;

    get_value (heard.document, "blocks", &blocks);
    cured_document_set_value (heard.document, blocks, 7);
    assert_heard (&heard, 1, CURED_DOCUMENT_POINT);
  }
  g_assert_cmpint (cured_document_get_cell (heard.document), ==, -1);
  g_assert_cmpint (cured_map_view_get_cell (view), ==, 1);

  cured_document_set_result (heard.document, NULL);
  assert_heard (&heard, 1, CURED_DOCUMENT_EVERYTHING);
  g_assert_null (cured_document_get_kernel (heard.document));
  g_assert_null (heard.source);
  g_assert_finalize_object (heard.document);
}

/* Values of parameters of the same name stay within a family. */
TEST ("/document/kernel")
{
  Heard heard;
  g_autoptr (CuredKernel) naive = get_kernel ("transpose/naive");
  g_autoptr (CuredKernel) padded = get_kernel ("transpose/padded");
  g_autoptr (CuredKernel) add = get_kernel ("vector/add");
  gsize n;

  listen (&heard);
  cured_document_set_kernel (heard.document, naive);
  assert_heard (&heard, 1, CURED_DOCUMENT_EVERYTHING);
  gint64 value = get_value (heard.document, "n", &n);
  g_assert_cmpint (value, ==, naive->parameters[n].default_value);
  cured_document_set_value (heard.document, n, 512);
  assert_heard (&heard, 1, CURED_DOCUMENT_POINT);
  cured_document_set_value (heard.document, n, 512);
  assert_heard (&heard, 0, 0);
  cured_document_set_kernel (heard.document, padded);
  g_assert_cmpint (get_value (heard.document, "n", NULL), ==, 512);
  cured_document_set_kernel (heard.document, add);
  g_assert_cmpint (get_value (heard.document, "n", &n), ==, add->parameters[n].default_value);

  /* Of the values to choose from, one is the parameter's own. */
  cured_document_set_value (heard.document, n, 12345);
  {
    g_autoptr (CuredAxis) choices = cured_document_get_choices (heard.document, n);

    g_assert_true (cured_axis_find (choices, 12345, NULL));
    for (gsize i = 1; i < cured_axis_get_length (choices); i++)
      g_assert_cmpint (cured_axis_get_value (choices, i - 1), <, cured_axis_get_value (choices, i));
  }
  g_assert_finalize_object (heard.document);
}

static char *
replace (const char *text, const char *old, const char *new)
{
  GString *string = g_string_new (text);

  g_assert_cmpuint (g_string_replace (string, old, new, 1), ==, 1);
  return g_string_free (string, FALSE);
}

TEST ("/document/edit")
{
  Heard heard;
  g_autoptr (CuredResult) result = load_result (&(MakeResult){ .n_tiles = 2 });
  const char *source = cured_result_get_source (result);
  g_autofree char *edited = replace (source, "{\n}", "{\n  c[0] = 1;\n}");
  g_autofree char *broken = replace (source, "Kind=compile", "Kind=none");

  listen (&heard);
  cured_document_set_result (heard.document, result);
  assert_heard (&heard, 1, CURED_DOCUMENT_EVERYTHING);
  CuredKernel *kernel = cured_document_get_kernel (heard.document);
  g_assert_cmpint (cured_document_find_measured (heard.document, kernel,
                                                 cured_document_get_point (heard.document, NULL)),
                   ==, cured_document_get_cell (heard.document));

  /* What was edited was not measured. */
  cured_document_set_source (heard.document, edited);
  assert_heard (&heard, 1, CURED_DOCUMENT_KERNEL | CURED_DOCUMENT_POINT | CURED_DOCUMENT_SOURCE);
  g_assert_true (cured_document_is_edited (heard.document));
  kernel = cured_document_get_kernel (heard.document);
  g_assert_nonnull (strstr (kernel->source, "c[0] = 1"));
  g_assert_cmpint (cured_document_find_measured (heard.document, kernel,
                                                 cured_document_get_point (heard.document, NULL)),
                   ==, -1);

  /* Without a kernel in it, the last one stays. */
  cured_document_set_source (heard.document, broken);
  assert_heard (&heard, 1, CURED_DOCUMENT_SOURCE);
  g_assert_true (cured_document_get_kernel (heard.document) == kernel);
  g_assert_nonnull (cured_document_get_source_error (heard.document));
  cured_document_set_source (heard.document, edited);
  g_assert_null (cured_document_get_source_error (heard.document));
  heard.n_told = 0;

  /* What was saved is not edited. */
  cured_document_set_original (heard.document, edited);
  assert_heard (&heard, 1, CURED_DOCUMENT_SOURCE);
  g_assert_false (cured_document_is_edited (heard.document));

  cured_document_set_line (heard.document, 3);
  assert_heard (&heard, 1, CURED_DOCUMENT_LINE);
  cured_document_set_line (heard.document, 3);
  assert_heard (&heard, 0, 0);
  cured_document_set_result (heard.document, result);
  g_assert_cmpint (cured_document_get_line (heard.document), ==, 0);
  g_assert_cmpstr (heard.source, ==, source);
  g_assert_finalize_object (heard.document);
}
