/* SPDX-License-Identifier: MIT
 * The examiner of the application. */
#include <config.h>

#include "model/cured-examiner-shared.h"

/* One for the application: its processes keep what they compiled. Any thread may ask. Returns: the
 * examiner */
CuredExaminer *
cured_examiner_get_shared (void)
{
  static gsize is_made;
  static CuredExaminer *examiner;

  if (g_once_init_enter (&is_made))
    {
      examiner = cured_examiner_new (NULL);
      g_once_init_leave (&is_made, 1);
    }
  return examiner;
}
