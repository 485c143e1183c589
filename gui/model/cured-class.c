/* SPDX-License-Identifier: MIT
 * Macros to declare a class's signals, properties, owned fields and timers. */
#include <config.h>

#include "model/cured-gui-model.h"

typedef struct
{
  CuredOwned kind;
  gsize offset;
  GDestroyNotify drop;
} Field;

typedef struct
{
  gsize offset;
  CuredIsFunc is;
  CuredSetFunc set;
} Property;

/* Keys of data of a class and of a property. */
#define FIELDS   g_quark_from_static_string ("cured-class-fields")
#define PROPERTY g_quark_from_static_string ("cured-class-property")

static const GArray *
get_fields (GObject *object)
{
  return g_type_get_qdata (G_OBJECT_TYPE (object), FIELDS);
}

static GObjectClass *
get_parent_class (gpointer klass)
{
  return g_type_class_peek_parent (klass);
}

/* Replaces the text of a field by a copy of @text (nullable), which may be in the same field. */
void
cured_set_string (char **field, const char *text)
{
  g_autofree char *old = *field;

  *field = g_strdup (text);
}

/* Releases the objects and timers of @object, and disconnects it from them; for a custom
 * dispose(). */
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

/* The dispose() of a final class without a custom one. */
void
cured_class_dispose (GObject *object)
{
  cured_class_drop (object);
  get_parent_class (G_OBJECT_GET_CLASS (object))->dispose (object);
}

/* The finalize() of a final class without a custom one. */
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

/* Declares that instances of @klass, a final class, own the field at @offset. Without a custom
 * dispose() or finalize(), the class gets those above. */
void
cured_class_own (gpointer klass, CuredOwned kind, gsize offset, GDestroyNotify drop)
{
  GObjectClass *object_class = klass;
  GArray *fields = g_type_get_qdata (G_TYPE_FROM_CLASS (klass), FIELDS);
  Field field = { kind, offset, drop };

  if (fields == NULL)
    {
      fields = g_array_new (FALSE, FALSE, sizeof field);
      g_type_set_qdata (G_TYPE_FROM_CLASS (klass), FIELDS, fields);
    }
  g_array_append_val (fields, field);
  if (object_class->dispose == get_parent_class (klass)->dispose)
    object_class->dispose = cured_class_dispose;
  if (object_class->finalize == get_parent_class (klass)->finalize)
    object_class->finalize = cured_class_finalize;
}

/* Adds a signal without a return value; its arguments' types follow. */
void
cured_class_add_signal (gpointer klass, const char *name, guint n_types, ...)
{
  va_list types;

  va_start (types, n_types);
  g_signal_new_valist (name, G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL,
                       G_TYPE_NONE, n_types, types);
  va_end (types);
}

/* ---- Properties ---- */

static GParamSpec *
make_spec (const char *name, GType type, GParamFlags flags)
{
  switch (G_TYPE_FUNDAMENTAL (type))
    {
    case G_TYPE_BOOLEAN: return g_param_spec_boolean (name, NULL, NULL, FALSE, flags);
    case G_TYPE_UINT: return g_param_spec_uint (name, NULL, NULL, 0, G_MAXUINT, 0, flags);
    case G_TYPE_STRING: return g_param_spec_string (name, NULL, NULL, NULL, flags);
    case G_TYPE_OBJECT: return g_param_spec_object (name, NULL, NULL, type, flags);
    case G_TYPE_POINTER:
    default: return g_param_spec_pointer (name, NULL, NULL, flags);
    }
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  const Property *property = g_param_spec_get_qdata (spec, PROPERTY);
  gpointer at = G_STRUCT_MEMBER_P (object, property->offset);

  if (property->is != NULL)
    g_value_set_boolean (value, property->is (object));
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    g_value_set_boolean (value, *(gboolean *) at);
  else if (G_VALUE_HOLDS_UINT (value))
    g_value_set_uint (value, *(guint *) at);
  else if (G_VALUE_HOLDS_STRING (value))
    g_value_set_string (value, *(char **) at != NULL ? *(char **) at : "");
  else if (G_VALUE_HOLDS_OBJECT (value))
    g_value_set_object (value, *(gpointer *) at);
  else
    g_value_set_pointer (value, *(gpointer *) at);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  const Property *property = g_param_spec_get_qdata (spec, PROPERTY);

  property->set (object, value);
}

/* Adds a property to a class whose properties are all added here. Its value is the field at @offset
 * or, if @is is not NULL, the result of @is. @set: (nullable): NULL: read-only */
void
cured_class_add_property (gpointer klass, const char *name, GType type, gsize offset,
                          CuredIsFunc is, CuredSetFunc set)
{
  GObjectClass *object_class = klass;
  guint n_properties = GPOINTER_TO_UINT (g_type_get_qdata (G_TYPE_FROM_CLASS (klass), PROPERTY));
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  GParamSpec *spec = make_spec (name, type, set != NULL ? flags | G_PARAM_WRITABLE : flags);
  Property *property = g_new0 (Property, 1);

  *property = (Property){ offset, is, set };
  g_param_spec_set_qdata_full (spec, PROPERTY, property, g_free);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  g_type_set_qdata (G_TYPE_FROM_CLASS (klass), PROPERTY, GUINT_TO_POINTER (n_properties + 1));
  g_object_class_install_property (object_class, n_properties + 1, spec);
}

/* ---- Calls ---- */

typedef struct
{
  gpointer self;
  guint *id;
  CuredCallFunc call;
} Call;

static gboolean
call_cb (gpointer data)
{
  const Call *call = data;

  *call->id = 0;
  call->call (call->self);
  return G_SOURCE_REMOVE;
}

/* @id: field of @self with the source's id, declared as a timer of the class, which removes it. */
void
cured_class_call_later (gpointer self, guint *id, guint delay_ms, CuredCallFunc call)
{
  Call *later = g_new (Call, 1);

  *later = (Call){ self, id, call };
  g_clear_handle_id (id, g_source_remove);
  if (delay_ms > 0)
    *id = g_timeout_add_full (G_PRIORITY_DEFAULT, delay_ms, call_cb, later, g_free);
  else
    *id = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, call_cb, later, g_free);
}
