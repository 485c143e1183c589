/* SPDX-License-Identifier: MIT
 * Entry of the GTK application. */
#include <config.h>

#include <locale.h>

#include <glib/gi18n.h>

#include "cured-application.h"

int
main (int argc, char **argv)
{
  g_autoptr (CuredApplication) application = NULL;

  setlocale (LC_ALL, "");
  /* For a build that is not installed: its translations are in po/. */
  bindtextdomain (GETTEXT_PACKAGE,
                  g_getenv ("CURED_LOCALEDIR") != NULL
                      ? g_getenv ("CURED_LOCALEDIR")
                      : LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = cured_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
