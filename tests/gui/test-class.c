/* SPDX-License-Identifier: MIT
 * What a class says that it has is let go of, in time and once. No display. */
#include "model/cured-gui-model.h"
#include "soon.h"
#include "test.h"

#define THING_TYPE (thing_get_type ())
G_DECLARE_FINAL_TYPE (Thing, thing, , THING, GObject)

struct _Thing
{
  GObject parent_instance;

  Thing *other; /* owned; nullable */
  char *text;   /* owned; nullable */
  char *name;   /* likewise */
  guint timer_id, n_heard, n_called;
};

static guint n_freed;

CURED_DEFINE_PLAIN_TYPE (Thing, thing, G_TYPE_OBJECT)

static void
count_free (gpointer data)
{
  n_freed++;
  g_free (data);
}

static gboolean
has_text (Thing *self)
{
  return self->text != NULL;
}

static void
set_name (Thing *self, const GValue *value)
{
  g_free (self->name);
  self->name = g_value_dup_string (value);
  g_object_notify (G_OBJECT (self), "name");
}

static void
thing_class_init (ThingClass *klass)
{
  CURED_OWNS (Thing, other);
  CURED_TIMERS (Thing, timer_id);
  CURED_FREES (Thing, count_free, text, name);
  CURED_PROPERTY (Thing, "name", G_TYPE_STRING, name, set_name);
  CURED_FLAG ("has-text", has_text);
  cured_class_add_signal (klass, "told", 0);
}

static void
told_cb (Thing *self)
{
  self->n_heard++;
}

static void
called_cb (Thing *self)
{
  g_assert_cmpuint (self->timer_id, ==, 0);
  self->n_called++;
}

static Thing *
make_thing (Thing *other)
{
  Thing *self = g_object_new (THING_TYPE, NULL);

  self->other = g_object_ref (other);
  self->text = g_strdup ("text");
  CURED_CONNECT (other, "told", told_cb);
  return self;
}

/* Objects and timers go in dispose(), after which nothing is heard; memory goes in finalize(). */
TEST ("/class/dispose")
{
  g_autoptr (Thing) other = g_object_new (THING_TYPE, NULL);
  Thing *self = make_thing (other);

  g_signal_emit_by_name (other, "told");
  g_assert_cmpuint (self->n_heard, ==, 1);
  CURED_LATER (timer_id, 1, called_cb);
  n_freed = 0;
  for (guint i = 0; i < 2; i++)
    {
      g_object_run_dispose (G_OBJECT (self));
      g_assert_null (self->other);
      g_assert_cmpuint (self->timer_id, ==, 0);
    }
  g_signal_emit_by_name (other, "told");
  pause_ms (20);
  g_assert_cmpuint (self->n_heard, ==, 1);
  g_assert_cmpuint (self->n_called, ==, 0);
  g_assert_cmpstr (self->text, ==, "text");
  g_assert_cmpuint (n_freed, ==, 0);
  g_assert_finalize_object (self);
  g_assert_cmpuint (n_freed, ==, 1);
  g_assert_cmpuint (G_OBJECT (other)->ref_count, ==, 1);
}

/* A call takes the place of the one that was to come. */
TEST ("/class/later")
{
  g_autoptr (Thing) self = g_object_new (THING_TYPE, NULL);

  for (guint i = 0; i < 3; i++)
    CURED_LATER (timer_id, i, called_cb);
  assert_soon (self->n_called > 0);
  pause_ms (20);
  g_assert_cmpuint (self->n_called, ==, 1);
}

static void
notified_cb (guint *n_notified)
{
  *n_notified += 1;
}

/* A property is its field, or what a function says. */
TEST ("/class/property")
{
  g_autoptr (Thing) self = g_object_new (THING_TYPE, NULL);
  g_autofree char *none = NULL, *name = NULL;
  gboolean before, after;
  guint n_notified = 0;

  g_signal_connect_swapped (self, "notify::name", G_CALLBACK (notified_cb), &n_notified);
  g_object_get (self, "name", &none, "has-text", &before, NULL);
  g_assert_cmpstr (none, ==, "");
  g_assert_false (before);
  g_object_set (self, "name", "a name", NULL);
  self->text = g_strdup ("text");
  g_object_get (self, "name", &name, "has-text", &after, NULL);
  g_assert_cmpstr (name, ==, "a name");
  g_assert_true (after);
  g_assert_cmpuint (n_notified, ==, 1);
}

/* Each part goes once, and only where it is there. */
typedef struct
{
  char *a;
  char *b; /* nullable */
  char *c;
} Parts;

CURED_FREE_FUNC (Parts, parts_free, a, count_free, b, count_free, c, count_free)

TEST ("/class/free")
{
  Parts *parts = g_new0 (Parts, 1);

  parts->a = g_strdup ("a");
  parts->c = g_strdup ("c");
  n_freed = 0;
  parts_free (parts);
  g_assert_cmpuint (n_freed, ==, 2);
}
