/* SPDX-License-Identifier: MIT
 * Asks for files: to open, or to write. */
#pragma once

#include <gtk/gtk.h>

/* Files to choose from. */
typedef struct
{
  const char *title;
  const char *suffixes[4]; /* without their dots; none: any file */
} CuredChooserFilter;

/* A question for files. All is copied. */
typedef struct
{
  GtkFileChooserAction action;
  const char *title;
  const char *accept;                /* the button, with its mnemonic */
  const char *name;                  /* nullable: of a file to write */
  GFile *folder;                     /* nullable: where to begin, wherever the last one ended */
  GFile *beside;                     /* nullable: the file to begin at where none ended yet */
  const CuredChooserFilter *filters; /* nullable */
  gsize n_filters;
  gboolean is_multiple; /* of files to open */
  /* (nullable): takes all files of @is_multiple at once, where it isn't a CuredChosenFunc that takes
   * them one by one */
  void (*all_chosen) (gpointer self, GListModel *files);
} CuredChooser;

/* Called once for each file that was chosen, or once for none. @self: who asked; @file: (nullable):
 * one that was chosen; NULL: none was */
typedef void (*CuredChosenFunc) (gpointer self, GFile *file);

void cured_chooser_ask (gpointer self, const CuredChooser *chooser, CuredChosenFunc chosen);
