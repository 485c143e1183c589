/* SPDX-License-Identifier: MIT
 * The kernels that there are, by family, with a search. */
#include <config.h>

#include "cured-kernel-list.h"

struct _CuredKernelList
{
  AdwBin parent_instance;
};

enum
{
  CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (CuredKernelList, cured_kernel_list, ADW_TYPE_BIN)

static void
cured_kernel_list_dispose (GObject *object)
{
  CuredKernelList *self = CURED_KERNEL_LIST (object);

  /* A template child that is also the bin's would be dropped twice. */
  adw_bin_set_child (ADW_BIN (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), CURED_TYPE_KERNEL_LIST);
  G_OBJECT_CLASS (cured_kernel_list_parent_class)->dispose (object);
}

static void
cured_kernel_list_class_init (CuredKernelListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = cured_kernel_list_dispose;
  signals[CHOSEN] = g_signal_new ("chosen",
                                  CURED_TYPE_KERNEL_LIST,
                                  G_SIGNAL_RUN_LAST,
                                  0,
                                  NULL,
                                  NULL,
                                  NULL,
                                  G_TYPE_NONE,
                                  1,
                                  G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/cured/Cured/cured-kernel-list.ui");
}

static void
cured_kernel_list_init (CuredKernelList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * cured_kernel_list_set_shown:
 * @self: a list of kernels
 * @id: (nullable): of the kernel that the window shows
 *
 * Marks a kernel.
 */
void
cured_kernel_list_set_shown (CuredKernelList *self, const char *id)
{
  g_return_if_fail (CURED_IS_KERNEL_LIST (self));
}
