/* SPDX-License-Identifier: MIT
 * The GTK application's main(). */
#include <config.h>

#include "app/cured-gui-app.h"

#include <locale.h>

/* Handles options that need no window. */
static int
local_options_cb (GApplication *application, GVariantDict *options, gpointer user_data)
{
  if (!g_variant_dict_contains (options, "version"))
    return -1;
  g_print ("cured-gtk %s\n", CURED_VERSION);
  return 0;
}

int
main (int argc, char **argv)
{
  cured_standard_files_open ();
  cured_bundle_use ();
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, cured_bundle_get_locale_folder ());
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  g_autoptr (CuredApplication) application = cured_application_new ();
  g_application_set_option_context_parameter_string (G_APPLICATION (application), _ ("[FILE…]"));
  g_application_set_option_context_summary (
      G_APPLICATION (application),
      _ ("Shows how a CUDA kernel’s time depends on its tile size and block count."));
  g_application_add_main_option (G_APPLICATION (application), "version", 0, G_OPTION_FLAG_NONE,
                                 G_OPTION_ARG_NONE, _ ("Print the version"), NULL);
  g_signal_connect (application, "handle-local-options", G_CALLBACK (local_options_cb), NULL);
  return g_application_run (G_APPLICATION (application), argc, argv);
}
