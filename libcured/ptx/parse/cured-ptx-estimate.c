/* SPDX-License-Identifier: MIT
 * What is known of a function without running it: registers, recursion. */
#include "ptx/parse/cured-ptx-parser-private.h"

/* Maximum depth of loops that are considered. */
#define MAX_LOOPS_AROUND 64

typedef struct
{
  guint32 begin, end;
  gint parent; /* the enclosing loop; -1: none */
} Loop;

static int
compare_loops (gconstpointer a, gconstpointer b)
{
  const Loop *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->end > y->end ? -1 : x->end < y->end;
}

/* Estimates how many 32-bit registers are live at once. A register is live from its first
 * occurrence to its last and, if the last is in a loop that began after the
 * first, to the end of the loop; predicates do not count. PTX does not tell more: ptxas moves code,
 * and merges and splits registers. Returns: the estimate. */
int
_cured_ptx_estimate_registers (const CuredPtxUse *uses, guint n_uses, const CuredPtxInst *code,
                               guint first, guint n)
{
  g_autoptr (GArray) loops = g_array_new (FALSE, FALSE, sizeof (Loop));
  g_autofree gint *innermost = g_new (gint, (gsize) n + 1), *change = g_new0 (gint, (gsize) n + 2);
  gint now = 0, most = 0;

  for (guint i = first; i < first + n; i++)
    if (code[i].op == CURED_PTX_OP_bra && code[i].target <= i && code[i].target >= first)
      {
        Loop loop = { code[i].target - first, i - first, -1 };

        g_array_append_val (loops, loop);
      }
  g_array_sort (loops, compare_loops);

  /* The innermost loop of each place, from a stack of open loops. */
  for (guint i = 0, next = 0, open = G_MAXUINT; i <= n; i++)
    {
      while (open != G_MAXUINT && g_array_index (loops, Loop, open).end < i)
        open = (guint) g_array_index (loops, Loop, open).parent;
      for (; next < loops->len && g_array_index (loops, Loop, next).begin == i; next++)
        {
          Loop *loop = &g_array_index (loops, Loop, next);

          loop->parent = (gint) open;
          /* Overlapping loops count as nested. */
          if (open != G_MAXUINT)
            loop->end = MIN (loop->end, g_array_index (loops, Loop, open).end);
          open = next;
        }
      innermost[i] = (gint) open;
    }

  for (guint i = 1; i < n_uses; i++)
    {
      guint32 from = uses[i].first - first, to = MIN (uses[i].last - first, n);
      gint weight = uses[i].width == 0 ? 0 : (gint) (uses[i].width + 3) / 4;
      gint loop = to <= n ? innermost[to] : -1;

      for (guint k = 0; k < MAX_LOOPS_AROUND && loop >= 0; k++)
        {
          const Loop *around = &g_array_index (loops, Loop, loop);

          if (around->begin <= from)
            break;
          to = MAX (to, around->end);
          loop = around->parent;
        }
      change[MIN (from, n)] += weight;
      change[to + 1] -= weight;
    }
  for (guint i = 0; i <= n; i++)
    {
      now += change[i];
      most = MAX (most, now);
    }
  return most;
}

/* Detects direct or indirect recursion. A call through a pointer may
 * reach every function whose address is taken. Returns: whether there is any. */
gboolean
_cured_ptx_find_recursion (const CuredPtxModule *module, const guint32 *taken, guint n_taken)
{
  /* An additional node represents calls through a pointer. */
  guint n_nodes = module->n_functions + 1;
  g_autofree guint8 *colour = g_new0 (guint8, n_nodes);
  g_autofree guint32 *next = g_new0 (guint32, n_nodes), *stack = g_new (guint32, n_nodes);

  for (guint root = 0; root < module->n_functions; root++)
    {
      guint depth = 0;

      if (colour[root] != 0)
        continue;
      colour[root] = 1;
      stack[depth++] = root;
      while (depth > 0)
        {
          guint node = stack[depth - 1];
          guint32 child = G_MAXUINT32;

          if (node == module->n_functions)
            {
              if (next[node] < n_taken)
                child = taken[next[node]++];
            }
          else
            {
              const CuredPtxFunction *function = &module->functions[node];

              while (next[node] < function->n_sites && child == G_MAXUINT32)
                {
                  const CuredPtxInst *inst = &module->code[function->first + next[node]++];

                  if (inst->call != NULL)
                    child = inst->call->is_indirect ? module->n_functions : inst->target;
                }
            }
          if (child == G_MAXUINT32)
            {
              colour[node] = 2;
              depth--;
            }
          else if (colour[child] == 1)
            return TRUE;
          else if (colour[child] == 0)
            {
              colour[child] = 1;
              stack[depth++] = child;
            }
        }
    }
  return FALSE;
}

/* A function uses the module's shared variables if any of its callees does. A call through a
 * pointer may reach every function whose address is taken. */
void
_cured_ptx_spread_use (CuredPtxParser *self)
{
  /* An additional node represents calls through a pointer. */
  guint n_functions = self->functions->len;
  g_autofree guint32 *first = g_new0 (guint32, (gsize) n_functions + 2), *callers = NULL;
  g_autofree guint32 *queue = g_new (guint32, (gsize) n_functions + 1);
  g_autofree guint8 *is_queued = g_new0 (guint8, (gsize) n_functions + 1);
  guint n_queued = 0;

  /* The callers of a node have indices from first[node] to first[node + 1], exclusive. */
  for (guint turn = 0; turn < 2; turn++)
    {
      for (guint i = 0; i < n_functions; i++)
        {
          const CuredPtxFunction *function = FUNCTION (self, i);

          for (guint k = 0; k < function->n_sites; k++)
            {
              const CuredPtxInst *inst =
                  &g_array_index (self->code, CuredPtxInst, function->first + k);

              if (inst->call == NULL)
                continue;
              guint callee = inst->call->is_indirect ? n_functions : inst->target;
              if (turn == 0)
                first[callee]++;
              else
                callers[--first[callee]] = i;
            }
        }
      for (guint i = 0; i < self->taken->len; i++)
        {
          guint32 callee = g_array_index (self->taken, guint32, i);

          if (turn == 0)
            first[callee]++;
          else
            callers[--first[callee]] = n_functions;
        }
      if (turn == 0)
        {
          for (guint i = 1; i <= n_functions + 1; i++)
            first[i] += first[i - 1];
          callers = g_new (guint32, (gsize) first[n_functions + 1] + 1);
        }
    }

  for (guint i = 0; i < n_functions; i++)
    if (LAYOUT (self, i)->uses_shared)
      {
        is_queued[i] = 1;
        queue[n_queued++] = i;
      }
  for (guint at = 0; at < n_queued; at++)
    {
      guint32 node = queue[at];

      for (guint k = first[node]; k < first[node + 1]; k++)
        if (!is_queued[callers[k]])
          {
            is_queued[callers[k]] = 1;
            queue[n_queued++] = callers[k];
          }
    }
  for (guint i = 0; i < n_functions; i++)
    LAYOUT (self, i)->uses_shared = is_queued[i] != 0;
}
