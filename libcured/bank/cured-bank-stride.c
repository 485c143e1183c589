/* SPDX-License-Identifier: MIT
 * An access whose lanes are a stride apart, in rows that may be padded. */
#include "bank/cured-bank-stride.h"

#include <string.h>

/* @self: (out caller-allocates): the parameters
 *
 * Initializes it: lanes load neighbouring words, without padding. */
void
cured_bank_stride_init (CuredBankStride *self)
{
  *self = (CuredBankStride){
    .arch = CURED_BANK_ARCH_5,
    .kind = CURED_BANK_KIND_LOAD,
    .width = 32,
    .stride = 1,
    .every = 32,
  };
}

/* @lane: of the warp
 * Returns: address of the lane's element in bytes, modulo 2³² */
guint32
cured_bank_stride_get_address (const CuredBankStride *self, guint lane)
{
  guint64 index = self->base + (guint64) self->stride * lane;

  g_return_val_if_fail (self->every > 0, 0);
  return (guint32) ((index + index / self->every * self->padding) * (self->width / 8));
}

/* @access: (out caller-allocates): the access of all lanes */
void
cured_bank_stride_get_access (const CuredBankStride *self, CuredBankAccess *access)
{
  *access = (CuredBankAccess){
    .arch = self->arch,
    .kind = self->kind,
    .width = self->width,
    .mask = G_MAXUINT32,
  };
  for (guint lane = 0; lane < CURED_BANK_LANES; lane++)
    access->addresses[lane] = cured_bank_stride_get_address (self, lane);
}

/* Returns: (transfer full): its formula, without terms that are 0: “address(l) = 4 · (32·l +
 *   ⌊32·l ÷ 32⌋)” */
char *
cured_bank_stride_format (const CuredBankStride *self)
{
  g_autoptr (GString) index = g_string_new (NULL), text = g_string_new ("address(l) = ");
  guint bytes = self->width / 8;

  if (self->base > 0 || self->stride == 0)
    g_string_append_printf (index, "%u", self->base);
  if (self->stride > 0)
    g_string_append (index, index->len > 0 ? " + " : "");
  if (self->stride > 1)
    g_string_append_printf (index, "%u·l", self->stride);
  else if (self->stride == 1)
    g_string_append (index, "l");

  gboolean is_sum = self->padding > 0 || (self->base > 0 && self->stride > 0);
  if (bytes > 1)
    g_string_append_printf (text, is_sum ? "%u · (" : "%u · ", bytes);
  g_string_append (text, index->str);
  if (self->padding > 0)
    g_string_append (text, " + ");
  if (self->padding > 1)
    g_string_append_printf (text, "%u · ", self->padding);
  if (self->padding > 0)
    g_string_append_printf (text, strchr (index->str, ' ') != NULL ? "⌊(%s) ÷ %u⌋" : "⌊%s ÷ %u⌋",
                            index->str, self->every);
  if (bytes > 1 && is_sum)
    g_string_append (text, ")");
  return g_string_free (g_steal_pointer (&text), FALSE);
}
