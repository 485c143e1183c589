/* SPDX-License-Identifier: MIT
 * Generates from a verb's table (CURED_VERB, a .def file): @given, with a member for each OPTION,
 * initialized by GIVEN, and the CuredVerb, which calls run (). Included once. */

/* clang-format off */
static int run (int argc, char **argv, GError **error);

#ifndef CURED_VERB_GIVEN
static G_GNUC_UNUSED struct
{
  gboolean none;
#define OPTION(type, member, ...) CURED_CLI_TYPE_##type member;
#define GIVEN(...)
#define VERB(...)
#include CURED_VERB
#undef OPTION
#undef GIVEN
} given = { 0,
#define OPTION(...)
#define GIVEN(...) __VA_ARGS__
#include CURED_VERB
#undef OPTION
#undef GIVEN
#undef VERB
};
#define CURED_VERB_GIVEN given
#endif

static G_GNUC_UNUSED const CuredCliOption rows[] = {
#define OPTION(type, member, name, letter, ...)                                                    \
  { name, letter, CURED_CLI_##type, &CURED_VERB_GIVEN.member, __VA_ARGS__ },
#define GIVEN(...)
#define VERB(...)
#include CURED_VERB
#undef OPTION
#undef VERB
  { NULL },
};

#define OPTION(...)
#define TABLES(...) { __VA_ARGS__ }
#define VERB(symbol, word, tables, ...)                                                            \
  const CuredVerb cured_verb_##symbol = { .name = word, .options = tables, .run = run, __VA_ARGS__ };
#include CURED_VERB
/* clang-format on */
