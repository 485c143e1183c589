/* SPDX-License-Identifier: MIT
 * The available devices, listed as they are found. */
#include <config.h>

#include "sweep/cured-gui-sweep.h"

#include <stdlib.h>

struct _CuredDeviceItem
{
  GObject parent_instance;

  /* Owned */
  char *id, *name;
  CuredDeviceInfo info;
};

CURED_DEFINE_PLAIN_TYPE (CuredDeviceItem, cured_device_item, G_TYPE_OBJECT)

static void
cured_device_item_finalize (GObject *object)
{
  CuredDeviceItem *self = CURED_DEVICE_ITEM (object);

  cured_device_info_clear (&self->info);
  cured_class_finalize (object);
}

static void
cured_device_item_class_init (CuredDeviceItemClass *klass)
{
  CURED_PROPERTY (CuredDeviceItem, "name", G_TYPE_STRING, name, NULL);
  CURED_FREES (CuredDeviceItem, g_free, id, name);
  G_OBJECT_CLASS (klass)->finalize = cured_device_item_finalize;
}

static CuredDeviceItem *
item_new (const CuredDeviceFound *found)
{
  CuredDeviceItem *self = g_object_new (CURED_TYPE_DEVICE_ITEM, NULL);
  g_autofree char *device = cured_text_device (found->info);

  self->id = g_strdup (found->id);
  /* Translators: a device's name and its id. */
  self->name = g_strdup_printf (_ ("%s (%s)"), device, found->id);
  cured_device_info_copy (found->info, &self->info);
  return self;
}

CURED_GETTER (const char *, cured_device_item_get_id, CuredDeviceItem, id)

const CuredDeviceInfo *
cured_device_item_get_info (CuredDeviceItem *self)
{
  return &self->info;
}

struct _CuredDeviceFinder
{
  GObject parent_instance;

  /* Owned */
  GPtrArray *items; /* of CuredDeviceItem */
  char *launcher;   /* nullable: this machine */
  char *problem;
  CuredTask *search;

  gboolean is_searching;
};

static GType
get_item_type (GListModel *model)
{
  return CURED_TYPE_DEVICE_ITEM;
}

static guint
get_n_items (GListModel *model)
{
  return CURED_DEVICE_FINDER (model)->items->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  CuredDeviceFinder *self = CURED_DEVICE_FINDER (model);

  return position < self->items->len ? g_object_ref (self->items->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (CuredDeviceFinder, cured_device_finder, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* Replaces the items, and sets `problem`. Handlers of `items-changed` see `searching` as TRUE. */
static void
set_items (CuredDeviceFinder *self, GPtrArray *items, const char *problem, gboolean is_searching)
{
  guint n_before = self->items->len;

  self->is_searching = TRUE;
  g_ptr_array_unref (self->items);
  self->items = g_ptr_array_ref (items);
  if (n_before + items->len > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), 0, n_before, items->len);
  cured_set_string (&self->problem, problem);
  self->is_searching = is_searching;
  g_object_notify (G_OBJECT (self), "usable");
  g_object_notify (G_OBJECT (self), "problem");
  g_object_notify (G_OBJECT (self), "searching");
}

static void
forget (CuredDeviceFinder *self, const char *problem, gboolean is_searching)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  set_items (self, none, problem, is_searching);
}

static void
find_work (CuredTask *task)
{
  task->output = cured_launcher_list_devices (task->input, task->cancellable, &task->error);
}

static void
found_cb (CuredDeviceFinder *self, CuredTask *task)
{
  if (task->output == NULL)
    {
      forget (self, task->error->message, FALSE);
      return;
    }
  cured_launcher_remember (self->launcher);
  cured_device_finder_set_found (self, task->output);
}

static const CuredTaskKind find_task =
    CURED_TASK_KIND (find_work, found_cb, g_free, g_ptr_array_unref);

static void
set_launcher (CuredDeviceFinder *self, const GValue *value)
{
  cured_device_finder_set_launcher (self, g_value_get_string (value));
}

static gboolean
is_usable (CuredDeviceFinder *self)
{
  return self->items->len > 0;
}

static void
cured_device_finder_class_init (CuredDeviceFinderClass *klass)
{
  CURED_PROPERTY (CuredDeviceFinder, "launcher", G_TYPE_STRING, launcher, set_launcher);
  CURED_PROPERTY (CuredDeviceFinder, "searching", G_TYPE_BOOLEAN, is_searching, NULL);
  CURED_PROPERTY (CuredDeviceFinder, "problem", G_TYPE_STRING, problem, NULL);
  CURED_FLAG ("usable", is_usable);
  CURED_FREES (CuredDeviceFinder, g_ptr_array_unref, items);
  CURED_FREES (CuredDeviceFinder, g_free, launcher, problem);
}

static void
cured_device_finder_init (CuredDeviceFinder *self)
{
  self->items = g_ptr_array_new ();
  self->problem = g_strdup ("");
}

/* Clears the list and searches again; returns at once. A driver may take seconds to initialize, and
 * another machine any length of time to respond. */
void
cured_device_finder_search (CuredDeviceFinder *self)
{
  forget (self, "", TRUE);
  cured_task_start (&self->search, self, &find_task, g_strdup (self->launcher));
}

/* Cancels the search; `problem` then says so. */
void
cured_device_finder_stop (CuredDeviceFinder *self)
{
  cured_task_cancel (&self->search);
  forget (self, _ ("Search stopped. Press Refresh to search again."), FALSE);
}

/* Sets the devices, without a search. @found: (element-type CuredDeviceFound) */
void
cured_device_finder_set_found (CuredDeviceFinder *self, GPtrArray *found)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GString) problems = g_string_new (NULL);

  cured_task_cancel (&self->search);
  for (guint i = 0; i < found->len; i++)
    {
      const CuredDeviceFound *device = found->pdata[i];

      if (device->info != NULL)
        g_ptr_array_add (items, item_new (device));
      else
        g_string_append_printf (problems, "%s%s: %s", problems->len > 0 ? "\n" : "", device->id,
                                device->reason);
    }
  if (items->len == 0 && problems->len == 0)
    g_string_append (
        problems, _ ("Cured runs kernels on CUDA devices. Install an NVIDIA driver, or run the "
                     "sweep with the command on a machine that has a GPU and open its file here."));
  set_items (self, items, problems->str, FALSE);
}

/* Sets the launcher, and searches if it changed. @launcher: (nullable): NULL or empty: this
 * machine. */
void
cured_device_finder_set_launcher (CuredDeviceFinder *self, const char *launcher)
{
  g_autofree char *copy = g_strstrip (g_strdup (launcher != NULL ? launcher : ""));

  if (g_strcmp0 (self->launcher, *copy != '\0' ? copy : NULL) == 0)
    return;
  g_free (self->launcher);
  self->launcher = *copy != '\0' ? g_steal_pointer (&copy) : NULL;
  g_object_notify (G_OBJECT (self), "launcher");
  cured_device_finder_search (self);
}

/* Returns: (nullable): NULL: this machine */
CURED_GETTER (const char *, cured_device_finder_get_launcher, CuredDeviceFinder, launcher)

CURED_GETTER (gboolean, cured_device_finder_is_searching, CuredDeviceFinder, is_searching)

/* How similar @item is to @like: 3: the same device, 2: the same name, 1: the same compute
 * capability, 0: none of these. A device that can't measure time doesn't replace one that can. */
static guint
get_nearness (CuredDeviceItem *item, const CuredDeviceInfo *like)
{
  const CuredLimits *limits = &item->info.limits;

  if (g_str_equal (item->info.name, like->name))
    return g_str_equal (item->id, like->id) ? 3 : 2;
  return cured_device_info_has_time (&item->info) == cured_device_info_has_time (like) &&
         !cured_device_is_model (item->id) && limits->compute_major == like->limits.compute_major &&
         limits->compute_minor == like->limits.compute_minor;
}

/* @position: (out): the most similar device's index in the list. Returns: whether there is one of
 * the same name or compute capability */
gboolean
cured_device_finder_get_nearest (CuredDeviceFinder *self, const CuredDeviceInfo *like,
                                 guint *position)
{
  guint nearest = 0;

  g_return_val_if_fail (like != NULL && position != NULL, FALSE);

  for (guint i = 0; i < self->items->len; i++)
    {
      guint nearness = get_nearness (self->items->pdata[i], like);

      if (nearness <= nearest)
        continue;
      nearest = nearness;
      *position = i;
    }
  return nearest > 0;
}

/* @position: (out): the index in the list of the device @id. @id: (nullable). Returns: whether it
 * was found */
gboolean
cured_device_finder_get_position (CuredDeviceFinder *self, const char *id, guint *position)
{
  for (*position = 0; *position < self->items->len; (*position)++)
    {
      CuredDeviceItem *item = self->items->pdata[*position];

      if (g_strcmp0 (item->id, id) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Finds the device to offer first: the first GPU, else @model, else the emulator of @arch, or else
 * of the newest chip. @arch: (nullable): the preferred architecture, such as "90a"; @model:
 * (nullable): the id of a chip's performance model; @position: (out): the index in the list.
 * Returns: whether there is any device */
gboolean
cured_device_finder_get_default (CuredDeviceFinder *self, const char *arch, const char *model,
                                 guint *position)
{
  int newest = -1;
  int wanted = arch != NULL ? atoi (arch) : 0;

  for (guint i = 0; i < self->items->len; i++)
    {
      CuredDeviceItem *item = self->items->pdata[i];
      const CuredLimits *limits = &item->info.limits;
      int chip = (int) (limits->compute_major * 10 + limits->compute_minor);

      if (cured_device_info_has_time (&item->info))
        {
          *position = i;
          return TRUE;
        }
      if (g_strcmp0 (item->id, model) == 0)
        chip = G_MAXINT;
      else if (limits->emulated == 0 || cured_device_is_model (item->id))
        chip = 0;
      else if (chip == wanted)
        chip = G_MAXINT - 1;
      if (chip <= newest)
        continue;
      newest = chip;
      *position = i;
    }
  return newest >= 0;
}
