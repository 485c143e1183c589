/* SPDX-License-Identifier: MIT
 * Field tables: what a struct's members are called, and which values they may have. */
#pragma once

#include <glib.h>
#include <stddef.h>

/* A table describes a struct once; the codecs write and read it from there, as JSON (messages,
 * `--json`, pages: cured_record_to_json()) and as rows of a result file (store/). A new member is a
 * row here and a line of the documentation, and a test looks for the latter:
 *
 *   static const CuredFieldInfo fields[] = {
 *     CURED_FIELD (CuredMismatch, buffer, TEXT, "", 0, 0, 0),
 *     CURED_FIELD (CuredMismatch, index, INTEGER, "", 0, 0, 0),
 *   };
 *   const CuredRecordInfo cured_mismatch_record = CURED_RECORD (CuredMismatch, "mismatch", fields,
 *                                                           cured_mismatch_free);
 *   …
 *   json_builder_add_value (builder, cured_record_to_json (&cured_mismatch_record, mismatch));
 */

/* What a member is. */
typedef enum
{
  CURED_FIELD_INTEGER,  /* an integer of any size, or an enumeration by its number */
  CURED_FIELD_INTEGERS, /* a fixed array of integers; a list in JSON */
  CURED_FIELD_BOOLEAN,  /* a #gboolean */
  CURED_FIELD_REAL,     /* a double; NaN: not known */
  CURED_FIELD_BIG, /* a #guint64 that is a string in JSON, whose readers lose integers above 2^53 */
  CURED_FIELD_TEXT,     /* an owned `char *` */
  CURED_FIELD_DATE,     /* an owned #GDateTime; of a result file alone */
  CURED_FIELD_NAME,     /* an enumeration by the name of its value */
  CURED_FIELD_BYTES,    /* a fixed array, in base64 */
  CURED_FIELD_TEXTS,    /* an owned `char **` */
  CURED_FIELD_RECORD,   /* another record, within the struct */
  CURED_FIELD_POINTER,  /* another record, or NULL */
  CURED_FIELD_POINTERS, /* a #GPtrArray of records */
  CURED_FIELD_STRUCTS,  /* a #GArray of records */
  CURED_FIELD_ARRAY,    /* an owned C array of records, and their number in another member */
  CURED_FIELD_NUMBERS,  /* an owned C array of integers likewise */
} CuredFieldType;

typedef enum
{
  CURED_FIELD_NULLABLE = 1 << 0,  /* left out (NULL in a file) where it is 0, NaN, NULL or empty */
  CURED_FIELD_SPARSE = 1 << 1,    /* of a real: left out of JSON where it is 0 */
  CURED_FIELD_REQUIRED = 1 << 2,  /* JSON without it is refused */
  CURED_FIELD_NO_COLUMN = 1 << 3, /* not in result files */
  CURED_FIELD_NO_JSON = 1 << 4,   /* in result files alone */
  CURED_FIELD_NUMBER = 1 << 5,    /* of a name: a result file has the number */
} CuredFieldFlags;

typedef struct _CuredRecordInfo CuredRecordInfo;

typedef struct
{
  const char *name;    /* in JSON, and of the column; "a.b" is member b of object a */
  CuredFieldType type; /* what it is */
  guint flags;         /* #CuredFieldFlags */
  gsize offset;        /* of the member */
  gsize size;          /* of the member, or of an element of it */
  gboolean is_signed;  /* of integers */
  gsize n;             /* elements of a fixed array */
  gsize n_offset;      /* of the member with the number of elements */
  const char *unit;    /* of a number; "" */
  double least;        /* of a number, where it is not equal to @most */
  /* likewise; most elements of a list; most bytes of a text, which is cut there. 0: any */
  double most;
  const CuredRecordInfo *of;           /* of a record or its elements */
  const char *(*get_name) (int value); /* of a name: from 0 to @most */
  const char *prefix;                  /* of a record: what the names of its columns begin with */
} CuredFieldInfo;

struct _CuredRecordInfo
{
  const char *name; /* for messages and tests */
  gsize size;       /* of the struct */
  /* (array length=n_fields): in the order in which they are written */
  const CuredFieldInfo *fields;
  gsize n_fields;  /* how many */
  gboolean is_row; /* in JSON a list of the values, without those at the end that are left out */
  gpointer (*create) (void);    /* (nullable): of one on the heap; NULL: zeroes */
  void (*init) (gpointer self); /* (nullable): what a fresh one has, where that is not 0 */
  gboolean (*is_known) (gconstpointer self); /* (nullable): FALSE: a list leaves it out */
  /* (nullable): after reading, well or not; FALSE: it makes no sense */
  gboolean (*finish) (gpointer self);
  void (*free) (gpointer self); /* (nullable): of one on the heap */
};

#define CURED_FIELD_MEMBER(S, member) (((S *) 0)->member)
#define CURED_FIELD_IS_SIGNED(value)  ((__typeof__ (value)) -1 < (__typeof__ (value)) 1)

#define CURED_FIELD_EXTRA_INTEGER(S, member)                                                       \
  .size = sizeof CURED_FIELD_MEMBER (S, member),                                                   \
  .is_signed = CURED_FIELD_IS_SIGNED (CURED_FIELD_MEMBER (S, member))
#define CURED_FIELD_EXTRA_INTEGERS(S, member)                                                      \
  .size = sizeof CURED_FIELD_MEMBER (S, member)[0],                                                \
  .n = sizeof CURED_FIELD_MEMBER (S, member) / sizeof CURED_FIELD_MEMBER (S, member)[0],           \
  .is_signed = CURED_FIELD_IS_SIGNED (CURED_FIELD_MEMBER (S, member)[0])
#define CURED_FIELD_EXTRA_BOOLEAN(S, member) CURED_FIELD_SIZE (S, member, gboolean)
#define CURED_FIELD_EXTRA_REAL(S, member)    CURED_FIELD_SIZE (S, member, double)
#define CURED_FIELD_EXTRA_BIG(S, member)     CURED_FIELD_SIZE (S, member, guint64)
#define CURED_FIELD_EXTRA_TEXT(S, member)    CURED_FIELD_SIZE (S, member, char *)
#define CURED_FIELD_EXTRA_DATE(S, member)    CURED_FIELD_SIZE (S, member, GDateTime *)
#define CURED_FIELD_EXTRA_TEXTS(S, member)   CURED_FIELD_SIZE (S, member, char **)
#define CURED_FIELD_EXTRA_BYTES(S, member)   .size = sizeof CURED_FIELD_MEMBER (S, member)

/* Of a member that has another size than its type, 0: a test looks for that. */
#define CURED_FIELD_SIZE(S, member, type)                                                          \
  .size = sizeof CURED_FIELD_MEMBER (S, member) == sizeof (type) ? sizeof (type) : 0

/* A member that is called something else outside. */
#define CURED_FIELD_AS(name_, S, member, type_, unit_, least_, most_, flags_)                      \
  {                                                                                                \
    .name = name_, .type = CURED_FIELD_##type_, .flags = flags_, .offset = offsetof (S, member),   \
    .unit = unit_, .least = least_, .most = most_, CURED_FIELD_EXTRA_##type_ (S, member)           \
  }

#define CURED_FIELD(S, member, type, unit, least, most, flags)                                     \
  CURED_FIELD_AS (#member, S, member, type, unit, least, most, flags)

#define CURED_FIELD_NAMES(name_, S, member, get_name_, n_names, flags_)                            \
  {                                                                                                \
    .name = name_, .type = CURED_FIELD_NAME, .flags = flags_, .offset = offsetof (S, member),      \
    .unit = "", .most = (n_names) -1, .get_name = get_name_, CURED_FIELD_EXTRA_INTEGER (S, member) \
  }

/* RECORD, POINTER, POINTERS, STRUCTS: @most elements of lists. */
#define CURED_FIELD_OF(name_, S, member, type_, record, most_, flags_, prefix_)                    \
  {                                                                                                \
    .name = name_, .type = CURED_FIELD_##type_, .flags = flags_, .offset = offsetof (S, member),   \
    .unit = "", .most = most_, .of = record, .prefix = prefix_                                     \
  }

/* An owned C array of records, and one of integers. */
#define CURED_FIELD_LIST(S, member, n_member, record, most_, flags_)                               \
  {                                                                                                \
    .name = #member, .type = CURED_FIELD_ARRAY, .flags = flags_, .offset = offsetof (S, member),   \
    .n_offset = offsetof (S, n_member), .size = sizeof *CURED_FIELD_MEMBER (S, member),            \
    .unit = "", .most = most_, .of = record                                                        \
  }
#define CURED_FIELD_INTEGER_LIST(S, member, n_member, most_, flags_)                               \
  {                                                                                                \
    .name = #member, .type = CURED_FIELD_NUMBERS, .flags = flags_, .offset = offsetof (S, member), \
    .n_offset = offsetof (S, n_member), .size = sizeof *CURED_FIELD_MEMBER (S, member),            \
    .is_signed = CURED_FIELD_IS_SIGNED (CURED_FIELD_MEMBER (S, member)[0]), .unit = "",            \
    .most = most_                                                                                  \
  }

/* The function that frees one follows, and other members: `NULL, .finish = finish_range`. */
#define CURED_RECORD(S, name_, fields_, ...)                                                       \
  {                                                                                                \
    .name = name_, .size = sizeof (S), .fields = fields_, .n_fields = G_N_ELEMENTS (fields_),      \
    .free = __VA_ARGS__                                                                            \
  }

/* Of json-glib, which callers include. */
typedef struct _JsonNode JsonNode;

JsonNode *cured_record_to_json (const CuredRecordInfo *self, gconstpointer of);
