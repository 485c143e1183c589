/* SPDX-License-Identifier: MIT
 * What the library alone calls. */
#pragma once

#include "draft/cured-header-draft.h"
#include "kernel/cured-tokens-internal.h"

gboolean cured_header_is_there (const char *source);
gboolean _cured_draft_is_taken (const char *name);
gboolean _cured_draft_is_type_word (const CuredTokens *tokens, guint index);
gsize _cured_draft_get_type_size (const char *name);
char *_cured_draft_find_record (const char *source, const CuredDraftArgument *argument,
                                CuredRecord **record);
char *_cured_draft_text_replace (const char *text, const char *word, const char *by);
void _cured_draft_replace_in (char **text, const char *word, const char *by);
CuredHeaderDraft *_cured_header_draft_new_bare (void);
CuredHeaderDraft *_cured_header_draft_new_empty (const CuredDraftFunction *function,
                                                 const char *title);
GArray *_cured_header_draft_order (const char *source, GPtrArray *functions);
GPtrArray *cured_header_draft_from_ptx (const char *path, const char *source);
void _cured_header_draft_take_fields (CuredHeaderDraft *self, const char *ptx);

char *_cured_header_draft_guard (const CuredHeaderDraft *self, const char *source);
