/* SPDX-License-Identifier: MIT
 * Waiting for what follows from something that a thread, a process or the X server does. */
#include "soon.h"

gint64
soon_limit_us (void)
{
  const char *factor = g_getenv ("CURED_TEST_FACTOR");

  return (gint64) (30 * G_USEC_PER_SEC * (factor != NULL ? g_ascii_strtod (factor, NULL) : 1));
}

static gboolean
over_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

/* The main loop, for a while. */
void
pause_ms (guint ms)
{
  gboolean is_over = FALSE;

  g_timeout_add (ms, over_cb, &is_over);
  while (!is_over)
    g_main_context_iteration (NULL, TRUE);
}
