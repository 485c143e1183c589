/* SPDX-License-Identifier: MIT
 * Field tables: names and allowed values of a struct's members. */
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

/* The type of a member. */
typedef enum
{
  CURED_FIELD_INTEGER,  /* an integer of any size, or an enumeration by its number */
  CURED_FIELD_INTEGERS, /* a fixed array of integers; a list in JSON */
  CURED_FIELD_BOOLEAN,  /* a #gboolean */
  CURED_FIELD_REAL,     /* a double; NaN: not known */
  CURED_FIELD_BIG, /* a #guint64 that is a string in JSON, whose readers lose integers above 2^53 */
  CURED_FIELD_TEXT,     /* an owned `char *` */
  CURED_FIELD_DATE,     /* an owned #GDateTime; only in result files */
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
  CURED_FIELD_NULLABLE = 1 << 0,  /* left out (NULL in a file) if it is 0, NaN, NULL or empty */
  CURED_FIELD_SPARSE = 1 << 1,    /* for a real: left out of JSON if it is 0 */
  CURED_FIELD_REQUIRED = 1 << 2,  /* JSON without it is refused */
  CURED_FIELD_NO_COLUMN = 1 << 3, /* not in result files */
  CURED_FIELD_NO_JSON = 1 << 4,   /* only in result files */
  CURED_FIELD_NUMBER = 1 << 5,    /* for a name: result files have the number */
} CuredFieldFlags;

typedef struct _CuredRecordInfo CuredRecordInfo;

typedef struct
{
  const char *name;    /* in JSON, and name of the column; "a.b" is member b of object a */
  CuredFieldType type; /* its type */
  guint flags;         /* #CuredFieldFlags */
  gsize offset;        /* of the member */
  gsize size;          /* of the member, or of an element of it */
  gboolean is_signed;  /* of integers */
  gsize n;             /* elements of a fixed array */
  gsize n_offset;      /* of the member with the number of elements */
  const char *unit;    /* unit of a number, or "" */
  double least;        /* lower bound of a number, unless it equals @most */
  /* upper bound; for a list, of its length; for a text, of its bytes, where it is cut. 0: none */
  double most;
  const CuredRecordInfo *of;           /* of a record or its elements */
  const char *(*get_name) (int value); /* of a name: from 0 to @most */
  const char *prefix;                  /* of a record: prefix of its columns' names */
} CuredFieldInfo;

struct _CuredRecordInfo
{
  const char *name; /* for messages and tests */
  gsize size;       /* of the struct */
  /* (array length=n_fields): in the order in which they are written */
  const CuredFieldInfo *fields;
  gsize n_fields;  /* number of fields */
  gboolean is_row; /* in JSON, a list of the values, without trailing ones that are left out */
  gpointer (*create) (void);    /* (nullable): creates one on the heap; NULL: zeroed memory */
  void (*init) (gpointer self); /* (nullable): initializes a new one, if not with zeros */
  gboolean (*is_known) (gconstpointer self); /* (nullable): FALSE: lists leave it out */
  /* (nullable): called after reading, even after an error; FALSE: it is inconsistent */
  gboolean (*finish) (gpointer self);
  void (*free) (gpointer self); /* (nullable): frees one on the heap */
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

/* 0 if a member's size does not match its type, which a test detects. */
#define CURED_FIELD_SIZE(S, member, type)                                                          \
  .size = sizeof CURED_FIELD_MEMBER (S, member) == sizeof (type) ? sizeof (type) : 0

/* A member with another external name. */
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

/* Followed by the function that frees one, and by other members: `NULL, .finish = finish_range`. */
#define CURED_RECORD(S, name_, fields_, ...)                                                       \
  {                                                                                                \
    .name = name_, .size = sizeof (S), .fields = fields_, .n_fields = G_N_ELEMENTS (fields_),      \
    .free = __VA_ARGS__                                                                            \
  }

/* From json-glib, which callers include. */
typedef struct _JsonNode JsonNode;

JsonNode *cured_record_to_json (const CuredRecordInfo *self, gconstpointer of);
