/* SPDX-License-Identifier: MIT
 * Panes that remember whether they are shown. */
#include <config.h>

#include "widgets/cured-gui-widgets.h"

/* Data of a flap: the key of its setting. */
#define KEY "cured-pane-key"

/* Data of a flap: the user asked for it. */
#define ASKED "cured-pane-asked"

/* A flap that would cover the page appears only on request; the setting applies to one beside the
 * page. A flap that was asked for and has the focus stays when the page becomes wide enough. */
static void
restore (AdwFlap *flap)
{
  const char *key = g_object_get_data (G_OBJECT (flap), KEY);
  gboolean is_asked =
      g_object_get_data (G_OBJECT (flap), ASKED) != NULL &&
      (gtk_widget_get_state_flags (adw_flap_get_flap (flap)) & GTK_STATE_FLAG_FOCUS_WITHIN) != 0;

  g_signal_handlers_block_matched (flap, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, (gpointer) key);
  adw_flap_set_reveal_flap (
      flap, adw_flap_get_folded (flap) ? is_asked : cured_settings_get_boolean (key, TRUE));
  g_signal_handlers_unblock_matched (flap, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, (gpointer) key);
}

static void
revealed_cb (AdwFlap *flap, GParamSpec *pspec, const char *key)
{
  if (!adw_flap_get_folded (flap))
    cured_settings_set_boolean (key, adw_flap_get_reveal_flap (flap));
}

/* The setting may have been changed in another tab. */
static void
mapped_cb (AdwFlap *flap)
{
  if (!adw_flap_get_folded (flap))
    restore (flap);
}

/* Remembers whether @flap is shown beside the page. Flaps with the same @key share the setting.
 * @key: of the settings; static. */
void
cured_pane_remember (AdwFlap *flap, const char *key)
{
  adw_flap_set_locked (flap, TRUE);
  g_object_set_data (G_OBJECT (flap), KEY, (gpointer) key);
  g_signal_connect (flap, "notify::folded", G_CALLBACK (restore), NULL);
  /* restore() blocks this handler by its data, the key. */
  g_signal_connect (flap, "notify::reveal-flap", G_CALLBACK (revealed_cb), (gpointer) key);
  g_signal_connect (flap, "map", G_CALLBACK (mapped_cb), NULL);
  restore (flap);
}

/* Shows a flap on request; otherwise hides it if it covers the page. */
void
cured_pane_ask (AdwFlap *flap, gboolean is_asked)
{
  g_object_set_data (G_OBJECT (flap), ASKED, is_asked ? flap : NULL);
  if (is_asked || adw_flap_get_folded (flap))
    adw_flap_set_reveal_flap (flap, is_asked);
}
