/* SPDX-License-Identifier: MIT
 * One selector of each exec file that is there. The table's references are weak
 * while some instructions have no selector yet, and a weak reference takes no
 * object out of a library; this one does. */
#include "ptx/cured-ptx-exec-private.h"

extern const CuredPtxSelector CURED_PASTE (_cured_ptx_present, EXEC_SUFFIX)[];

const CuredPtxSelector CURED_PASTE (_cured_ptx_present, EXEC_SUFFIX)[] = {
  SELECT (atom),      /* -atomic.c */
  SELECT (bar_warp),  /* -barrier.c */
  SELECT (setp),      /* -compare.c */
  SELECT (bra),       /* -control.c */
  SELECT (cvt),       /* -convert.c */
  SELECT (add_float), /* -float.c */
  SELECT (add_half),  /* -half.c */
  SELECT (add),       /* -int.c */
  SELECT (and),       /* -logic.c */
  SELECT (mma),       /* -matrix.c */
  SELECT (ld),        /* -memory.c */
  SELECT (mov),       /* -move.c */
  SELECT (shfl),      /* -warp.c */
};
