/* SPDX-License-Identifier: MIT
 * Classes that say in a line what they have: signals, objects, memory, timers. */
#include <config.h>

#include "model/cured-class.h"

typedef struct
{
  CuredOwned kind;
  gsize offset;
  GDestroyNotify drop;
} Field;

static G_DEFINE_QUARK (cured - class - fields, fields)

    static const GArray *get_fields (GObject *object)
{
  return g_type_get_qdata (G_OBJECT_TYPE (object), fields_quark ());
}

static GObjectClass *
get_parent_class (gpointer klass)
{
  return g_type_class_peek_parent (klass);
}

/* Drops the objects and timers of @object, which hears nothing more of them: for a dispose() that
 * does more. */
void
cured_class_drop (GObject *object)
{
  const GArray *fields = get_fields (object);

  for (guint i = 0; fields != NULL && i < fields->len; i++)
    {
      const Field *field = &g_array_index (fields, Field, i);
      gpointer at = G_STRUCT_MEMBER_P (object, field->offset);

      if (field->kind == CURED_OWNED_TIMER)
        g_clear_handle_id ((guint *) at, g_source_remove);
      else if (field->kind == CURED_OWNED_OBJECT && *(gpointer *) at != NULL)
        {
          g_signal_handlers_disconnect_by_data (*(gpointer *) at, object);
          g_clear_object ((GObject **) at);
        }
    }
}

/* dispose() of a final class that has nothing else to do. */
void
cured_class_dispose (GObject *object)
{
  cured_class_drop (object);
  get_parent_class (G_OBJECT_GET_CLASS (object))->dispose (object);
}

/* finalize() of a final class that has nothing else to do. */
void
cured_class_finalize (GObject *object)
{
  const GArray *fields = get_fields (object);

  for (guint i = 0; fields != NULL && i < fields->len; i++)
    {
      const Field *field = &g_array_index (fields, Field, i);

      if (field->kind == CURED_OWNED_MEMORY)
        g_clear_pointer (&G_STRUCT_MEMBER (gpointer, object, field->offset), field->drop);
    }
  get_parent_class (G_OBJECT_GET_CLASS (object))->finalize (object);
}

/* Has the instances of @klass, a final class, let go of what their field at @offset has. A class
 * that has no dispose() or finalize() of its own gets ours. */
void
cured_class_own (gpointer klass, CuredOwned kind, gsize offset, GDestroyNotify drop)
{
  GObjectClass *object_class = klass;
  GArray *fields = g_type_get_qdata (G_TYPE_FROM_CLASS (klass), fields_quark ());
  Field field = { kind, offset, drop };

  if (fields == NULL)
    {
      fields = g_array_new (FALSE, FALSE, sizeof field);
      g_type_set_qdata (G_TYPE_FROM_CLASS (klass), fields_quark (), fields);
    }
  g_array_append_val (fields, field);
  if (object_class->dispose == get_parent_class (klass)->dispose)
    object_class->dispose = cured_class_dispose;
  if (object_class->finalize == get_parent_class (klass)->finalize)
    object_class->finalize = cured_class_finalize;
}

/* Adds a signal that returns nothing; its arguments' types follow. */
void
cured_class_add_signal (gpointer klass, const char *name, guint n_types, ...)
{
  va_list types;

  va_start (types, n_types);
  g_signal_new_valist (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL,
                       G_TYPE_NONE, n_types, types);
  va_end (types);
}
