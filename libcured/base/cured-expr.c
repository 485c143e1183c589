/* SPDX-License-Identifier: MIT
 * Expressions of kernel files: integers and doubles, checked arithmetic. */

#include "base/cured-number-private.h"
#include "base/cured-base-internal.h"

/* Kernel files are untrusted: these limits keep the recursion of the parser and of the evaluation
 * (whose depth is at most the number of nodes) well within a thread's stack. */
#define MAX_DEPTH 100
#define MAX_NODES 1000

typedef enum
{
  OP_NUMBER,
  OP_NAME,
  OP_NEGATE,
  OP_NOT,
  OP_ADD,
  OP_SUBTRACT,
  OP_MULTIPLY,
  OP_DIVIDE,
  OP_REMAINDER,
  OP_POWER,
  OP_LESS,
  OP_LESS_EQUAL,
  OP_GREATER,
  OP_GREATER_EQUAL,
  OP_EQUAL,
  OP_NOT_EQUAL,
  OP_AND,
  OP_OR,
  OP_CHOOSE,
  OP_MIN,
  OP_MAX,
  OP_CEIL,
  OP_FLOOR,
  OP_POW2,
  OP_LOG2,
  OP_ABS,
  OP_SQRT,
} Op;

typedef struct
{
  const char *text;
  int precedence; /* higher binds tighter */
  Op op;
} BinaryOp;

/* ORDER: a longer operator before its own prefix. `^` is missing: it is right-associative and binds
 * tighter than a sign, see parse_unary(). */
static const BinaryOp binary_ops[] = {
  { "||", 1, OP_OR },        { "&&", 2, OP_AND },        { "==", 3, OP_EQUAL },
  { "!=", 3, OP_NOT_EQUAL }, { "<=", 4, OP_LESS_EQUAL }, { ">=", 4, OP_GREATER_EQUAL },
  { "<", 4, OP_LESS },       { ">", 4, OP_GREATER },     { "+", 5, OP_ADD },
  { "-", 5, OP_SUBTRACT },   { "*", 6, OP_MULTIPLY },    { "/", 6, OP_DIVIDE },
  { "%", 6, OP_REMAINDER },
};

typedef struct
{
  const char *name;
  guint min_arguments, max_arguments;
  Op op;
} Function;

static const Function functions[] = {
  { "min", 1, G_MAXUINT, OP_MIN }, { "max", 1, G_MAXUINT, OP_MAX }, { "ceil", 1, 1, OP_CEIL },
  { "floor", 1, 1, OP_FLOOR },     { "pow2", 1, 1, OP_POW2 },       { "log2", 1, 1, OP_LOG2 },
  { "abs", 1, 1, OP_ABS },         { "sqrt", 1, 1, OP_SQRT },
};

typedef struct _Node Node;
struct _Node
{
  Op op;
  CuredNumber number;   /* OP_NUMBER */
  char *name;           /* OP_NAME */
  GPtrArray *arguments; /* (element-type Node) (nullable), borrowed */
};

struct _CuredExpr
{
  char *text;
  GPtrArray *nodes; /* owns every node, so that freeing does not recurse */
  const Node *root;
};

typedef struct
{
  CuredExpr *expr;
  const char *text, *at;
  int depth;
} Parser;

static Node *parse_choice (Parser *self, GError **error);

CURED_FREE_FUNC (Node, node_free, name, g_free, arguments, g_ptr_array_unref)

static Node *
node_new (Parser *parser, Op op, Node *a, Node *b)
{
  Node *self = g_new0 (Node, 1);

  self->op = op;
  g_ptr_array_add (parser->expr->nodes, self);
  if (a != NULL)
    {
      self->arguments = g_ptr_array_new ();
      g_ptr_array_add (self->arguments, a);
      if (b != NULL)
        g_ptr_array_add (self->arguments, b);
    }
  return self;
}

static const Node *
argument (const Node *self, guint index)
{
  return g_ptr_array_index (self->arguments, index);
}

static int
column (const Parser *self)
{
  return (int) (self->at - self->text) + 1;
}

static void
skip_space (Parser *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
accept (Parser *self, const char *token)
{
  skip_space (self);
  if (!g_str_has_prefix (self->at, token))
    return FALSE;
  self->at += strlen (token);
  return TRUE;
}

/* Fails with the expected and the actual token. */
static void *
fail_expected (Parser *self, const char *expected, GError **error)
{
  skip_space (self);
  gunichar here = g_utf8_get_char_validated (self->at, -1);
  if (*self->at == '\0')
    g_set_error (error, CURED_ERROR, CURED_ERROR_SYNTAX,
                 _ ("column %d: expected %s, but the text ends"), column (self), expected);
  else if (here == (gunichar) -1 || here == (gunichar) -2 || !g_unichar_isprint (here))
    g_set_error (error, CURED_ERROR, CURED_ERROR_SYNTAX, _ ("column %d: expected %s"),
                 column (self), expected);
  else
    {
      char utf8[7] = { 0 };

      g_unichar_to_utf8 (here, utf8);
      g_set_error (error, CURED_ERROR, CURED_ERROR_SYNTAX, _ ("column %d: expected %s, not “%s”"),
                   column (self), expected, utf8);
    }
  return NULL;
}

static gboolean
enter (Parser *self, GError **error)
{
  if (self->depth < MAX_DEPTH && self->expr->nodes->len < MAX_NODES)
    {
      self->depth++;
      return TRUE;
    }
  return cured_fail (error, CURED_ERROR_SYNTAX,
                     _ ("column %d: the expression is too long or nested too deep"), column (self));
}

static Node *
parse_number (Parser *self, GError **error)
{
  const char *start = self->at;
  CuredNumber number = { 0 };
  gboolean fits;

  _cured_scan_digits (&self->at, &number.integer, &fits);
  const char *tail = self->at;
  if (tail[0] == '.' && g_ascii_isdigit (tail[1]))
    {
      tail++;
      while (g_ascii_isdigit (*tail))
        tail++;
    }
  if (tail[0] == 'e' || tail[0] == 'E')
    {
      const char *exponent = tail + 1;

      if (*exponent == '+' || *exponent == '-')
        exponent++;
      if (g_ascii_isdigit (*exponent))
        {
          while (g_ascii_isdigit (*exponent))
            exponent++;
          tail = exponent;
        }
    }

  if (tail != self->at)
    {
      g_autoptr (GString) digits = g_string_new (NULL);

      for (const char *c = start; c < tail; c++)
        if (*c != '_' && *c != '\'')
          g_string_append_c (digits, *c);
      number.is_double = TRUE;
      number.real = g_ascii_strtod (digits->str, NULL);
      fits = isfinite (number.real);
      self->at = tail;
    }
  if (!fits)
    return cured_fail_null (error, CURED_ERROR_OVERFLOW,
                            _ ("column %d: %.*s does not fit in 64 bits"),
                            (int) (start - self->text) + 1, (int) (self->at - start), start);
  Node *node = node_new (self, OP_NUMBER, NULL, NULL);
  node->number = number;
  return node;
}

static Node *
parse_call (Parser *self, const char *name, const char *name_at, GError **error)
{
  const Function *function = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_equal (functions[i].name, name))
      function = &functions[i];
  if (function == NULL)
    {
      g_autoptr (GString) names = g_string_new (NULL);

      for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
        g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", functions[i].name);
      return cured_fail_null (error, CURED_ERROR_SYNTAX,
                              _ ("column %d: there is no function “%s”; there are %s"),
                              (int) (name_at - self->text) + 1, name, names->str);
    }

  Node *node = node_new (self, function->op, NULL, NULL);
  node->arguments = g_ptr_array_new ();
  do
    {
      Node *value = parse_choice (self, error);

      if (value == NULL)
        return NULL;
      g_ptr_array_add (node->arguments, value);
    }
  while (node->arguments->len < function->max_arguments && accept (self, ","));
  if (!accept (self, ")"))
    return fail_expected (self, function->max_arguments > 1 ? _ ("“,” or “)”") : _ ("“)”"), error);
  return node;
}

static Node *
parse_primary (Parser *self, GError **error)
{
  skip_space (self);
  if (g_ascii_isdigit (*self->at))
    return parse_number (self, error);

  if (g_ascii_isalpha (*self->at) || *self->at == '_')
    {
      const char *start = self->at;

      while (g_ascii_isalnum (*self->at) || *self->at == '_')
        self->at++;
      g_autofree char *name = g_strndup (start, (gsize) (self->at - start));
      if (accept (self, "("))
        return parse_call (self, name, start, error);
      Node *node = node_new (self, OP_NAME, NULL, NULL);
      node->name = g_steal_pointer (&name);
      return node;
    }

  if (accept (self, "("))
    {
      Node *node = parse_choice (self, error);

      if (node == NULL)
        return NULL;
      if (!accept (self, ")"))
        return fail_expected (self, _ ("an operator or “)”"), error);
      return node;
    }

  return fail_expected (self, _ ("a number, a name or “(”"), error);
}

static Node *
parse_unary (Parser *self, GError **error)
{
  Node *node = NULL, *operand;

  if (!enter (self, error))
    return NULL;

  skip_space (self);
  if (*self->at == '-' || *self->at == '+' || *self->at == '!')
    {
      char sign = *self->at++;

      node = parse_unary (self, error);
      if (node != NULL && sign == '-')
        node = node_new (self, OP_NEGATE, node, NULL);
      else if (node != NULL && sign == '!')
        node = node_new (self, OP_NOT, node, NULL);
    }
  else
    {
      /* A sign to the left of a power is outside it (-2^2 is -4); one to the right is inside
       * (10^-5). */
      node = parse_primary (self, error);
      if (node != NULL && accept (self, "^"))
        {
          operand = parse_unary (self, error);
          node = operand != NULL ? node_new (self, OP_POWER, node, operand) : NULL;
        }
    }
  self->depth--;
  return node;
}

static const BinaryOp *
peek_binary (Parser *self)
{
  skip_space (self);
  for (gsize i = 0; i < G_N_ELEMENTS (binary_ops); i++)
    if (g_str_has_prefix (self->at, binary_ops[i].text))
      return &binary_ops[i];
  return NULL;
}

static Node *
parse_binary (Parser *self, int least, GError **error)
{
  Node *left = parse_unary (self, error);
  const BinaryOp *found;

  while (left != NULL && (found = peek_binary (self)) != NULL && found->precedence >= least)
    {
      if (!enter (self, error))
        return NULL;
      self->at += strlen (found->text);
      Node *right = parse_binary (self, found->precedence + 1, error);
      self->depth--;
      if (right == NULL)
        return NULL;
      left = node_new (self, found->op, left, right);
    }
  return left;
}

static Node *
parse_choice (Parser *self, GError **error)
{
  Node *yes, *no;

  if (!enter (self, error))
    return NULL;
  Node *condition = parse_binary (self, 1, error);
  if (condition != NULL && accept (self, "?"))
    {
      yes = parse_choice (self, error);
      if (yes == NULL)
        return NULL;
      if (!accept (self, ":"))
        return fail_expected (self, _ ("an operator or “:”"), error);
      no = parse_choice (self, error);
      if (no == NULL)
        return NULL;
      condition = node_new (self, OP_CHOOSE, condition, yes);
      g_ptr_array_add (condition->arguments, no);
    }
  self->depth--;
  return condition;
}

/* From the loosest to the tightest: `?:`, `||`, `&&`, `== !=`, `< <= > >=`, `+ -`, `* / %`, the
 * signs `- + !`, and `^` (power, right-associative). Functions: `min` and `max` of any number of
 * values, `ceil`, `floor`, `pow2(x)` (2^x), `log2`, `abs`, `sqrt`. Numbers: `10`, `1_000_000` or
 * `1'000'000`, `2.5`, `1e-5`; always with a decimal point. Fails with CURED_ERROR_SYNTAX, or
 * CURED_ERROR_OVERFLOW for a number that does not fit; the message begins with the column,
 * counted from 1. The text has no line breaks, so the caller adds file and line. */
CuredExpr *
cured_expr_parse (const char *text, GError **error)
{
  Parser parser = { 0 };

  g_return_val_if_fail (text != NULL, NULL);

  g_autoptr (CuredExpr) self =
      CURED_NEW (CuredExpr, .text = g_strdup (text),
                 .nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) node_free));
  parser.expr = self;
  parser.text = text;
  parser.at = text;

  self->root = parse_choice (&parser, error);
  if (self->root == NULL)
    return NULL;
  skip_space (&parser);
  if (*parser.at != '\0')
    return fail_expected (&parser, _ ("an operator"), error);
  return g_steal_pointer (&self);
}

/* @self: (nullable): an expression
 *
 * Frees it. */
CURED_DEFINE_FREE (CuredExpr, cured_expr_free, nodes, g_ptr_array_unref, text, g_free)

/* Returns: (transfer none): the text that it was parsed from */
CURED_GETTER (const char *, cured_expr_get_text, const CuredExpr, text)

/* Lists the names that the expression looks up. Functions are not names. */
void
cured_expr_foreach_name (const CuredExpr *self, CuredExprNameFunc func, gpointer user_data)
{
  g_return_if_fail (self != NULL);

  CURED_EACH_POINTER (const Node, node, self->nodes)
    if (node->op == OP_NAME)
      func (node->name, user_data);
}

typedef struct
{
  const CuredExpr *expr;
  CuredExprLookup lookup;
  gpointer user_data;
  GError **error;
} Evaluation;

static CuredNumber
integer_number (gint64 value)
{
  return (CuredNumber){ .is_double = FALSE, .integer = value };
}

static CuredNumber
real_number (double value)
{
  return (CuredNumber){ .is_double = TRUE, .real = value };
}

static double
as_double (CuredNumber number)
{
  return number.is_double ? number.real : (double) number.integer;
}

/* Both bounds are powers of two and exact; the upper one is outside. */
static gboolean
real_fits (double value)
{
  return value >= -0x1p63 && value < 0x1p63;
}

static gboolean
as_integer (CuredNumber number, gint64 *value)
{
  if (!number.is_double)
    *value = number.integer;
  else if (real_fits (number.real) && floor (number.real) == number.real)
    *value = (gint64) number.real;
  else
    return FALSE;
  return TRUE;
}

static gboolean
is_true (CuredNumber number)
{
  return number.is_double ? number.real != 0 : number.integer != 0;
}

static char *
number_to_text (CuredNumber number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (!number.is_double)
    return g_strdup_printf ("%" PRId64, number.integer);
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.10g", number.real));
}

static gboolean
fail (Evaluation *self, CuredError code, const char *message)
{
  g_set_error (self->error, CURED_ERROR, (int) code, _ ("in “%s”: %s"), self->expr->text, message);
  return FALSE;
}

static gboolean
fail_overflow (Evaluation *self, CuredNumber a, const char *op, CuredNumber b)
{
  g_autofree char *left = number_to_text (a), *right = number_to_text (b);
  g_autofree char *message =
      g_strdup_printf (_ ("%s %s %s does not fit in 64 bits; where no exact integer is needed, "
                          "write one of them as a double (2.0)"),
                       left, op, right);

  return fail (self, CURED_ERROR_OVERFLOW, message);
}

static gboolean
fail_range (Evaluation *self, const char *function, CuredNumber value)
{
  g_autofree char *text = number_to_text (value);
  g_autofree char *message = g_strdup_printf (_ ("%s(%s) does not fit in 64 bits"), function, text);

  return fail (self, CURED_ERROR_OVERFLOW, message);
}

static gboolean
fail_domain (Evaluation *self, const char *function, CuredNumber value)
{
  g_autofree char *text = number_to_text (value);
  g_autofree char *message = g_strdup_printf (_ ("%s(%s) is not defined"), function, text);

  return fail (self, CURED_ERROR_INVALID, message);
}

static gboolean
fail_zero (Evaluation *self, const char *op, CuredNumber a)
{
  g_autofree char *text = number_to_text (a);
  g_autofree char *message = g_strdup_printf (_ ("%s %s 0 divides by zero"), text, op);

  return fail (self, CURED_ERROR_INVALID, message);
}

static gboolean
add_subtract_multiply (Evaluation *self, Op op, CuredNumber a, CuredNumber b, CuredNumber *result)
{
  const char *sign = op == OP_ADD ? "+" : op == OP_SUBTRACT ? "-" : "*";

  if (a.is_double || b.is_double)
    {
      double x = as_double (a), y = as_double (b);

      *result = real_number (op == OP_ADD ? x + y : op == OP_SUBTRACT ? x - y : x * y);
      return isfinite (result->real) || fail_overflow (self, a, sign, b);
    }

  *result = integer_number (0);
  if (op == OP_ADD        ? __builtin_add_overflow (a.integer, b.integer, &result->integer)
      : op == OP_SUBTRACT ? __builtin_sub_overflow (a.integer, b.integer, &result->integer)
                          : __builtin_mul_overflow (a.integer, b.integer, &result->integer))
    return fail_overflow (self, a, sign, b);
  return TRUE;
}

static gboolean
divide (Evaluation *self, CuredNumber a, CuredNumber b, CuredNumber *result)
{
  if (as_double (b) == 0)
    return fail_zero (self, "/", a);
  if (!a.is_double && !b.is_double)
    {
      if (a.integer == G_MININT64 && b.integer == -1)
        return fail_overflow (self, a, "/", b);
      if (a.integer % b.integer == 0)
        {
          *result = integer_number (a.integer / b.integer);
          return TRUE;
        }
    }
  *result = real_number (as_double (a) / as_double (b));
  return isfinite (result->real) || fail_overflow (self, a, "/", b);
}

static gboolean
remainder_of (Evaluation *self, CuredNumber a, CuredNumber b, CuredNumber *result)
{
  gint64 x, y;

  if (!as_integer (a, &x) || !as_integer (b, &y))
    return fail (self, CURED_ERROR_INVALID, _ ("“%” needs two integers"));
  if (y == 0)
    return fail_zero (self, "%", a);
  /* G_MININT64 % -1 traps on x86. */
  *result = integer_number (y == -1 ? 0 : x % y);
  return TRUE;
}

static gboolean
to_power (Evaluation *self, CuredNumber a, CuredNumber b, CuredNumber *result)
{
  if (!a.is_double && !b.is_double && b.integer >= 0)
    {
      *result = integer_number (0);
      return _cured_integer_power (a.integer, b.integer, &result->integer) ||
             fail_overflow (self, a, "^", b);
    }
  if (as_double (a) == 0 && as_double (b) < 0)
    return fail (self, CURED_ERROR_INVALID, _ ("0 to a negative power"));
  *result = real_number (pow (as_double (a), as_double (b)));
  if (isnan (result->real))
    return fail (self, CURED_ERROR_INVALID,
                 _ ("a negative number to a power that is not an integer"));
  return isfinite (result->real) || fail_overflow (self, a, "^", b);
}

static int
compare (CuredNumber a, CuredNumber b)
{
  if (!a.is_double && !b.is_double)
    return (a.integer > b.integer) - (a.integer < b.integer);
  return (as_double (a) > as_double (b)) - (as_double (a) < as_double (b));
}

static gboolean
to_whole (Evaluation *self, Op op, CuredNumber a, CuredNumber *result)
{
  if (!a.is_double)
    {
      *result = a;
      return TRUE;
    }
  double whole = op == OP_CEIL ? ceil (a.real) : floor (a.real);
  if (!real_fits (whole))
    return fail_range (self, op == OP_CEIL ? "ceil" : "floor", a);
  *result = integer_number ((gint64) whole);
  return TRUE;
}

/* ceil(a/b) and floor(a/b) of integers, without going through a double: a grid of more than 2^53
 * elements would be off by one. */
static gboolean
divide_whole (Evaluation *self, Op op, CuredNumber a, CuredNumber b, CuredNumber *result)
{
  if (b.integer == 0)
    return fail_zero (self, "/", a);
  if (a.integer == G_MININT64 && b.integer == -1)
    return fail_overflow (self, a, "/", b);
  gint64 quotient = a.integer / b.integer;
  gboolean inexact = a.integer % b.integer != 0, is_negative = (a.integer < 0) != (b.integer < 0);
  if (inexact && op == OP_CEIL && !is_negative)
    quotient++;
  else if (inexact && op == OP_FLOOR && is_negative)
    quotient--;
  *result = integer_number (quotient);
  return TRUE;
}

static gboolean
apply_function (Evaluation *self, Op op, CuredNumber a, CuredNumber *result)
{
  switch ((int) op)
    {
    case OP_POW2:
      if (!a.is_double && a.integer >= 0 && a.integer < 63)
        *result = integer_number (G_GINT64_CONSTANT (1) << a.integer);
      else if (!a.is_double && a.integer > 0)
        return fail_range (self, "pow2", a);
      else
        *result = real_number (exp2 (as_double (a)));
      return isfinite (as_double (*result)) || fail_range (self, "pow2", a);

    case OP_LOG2:
      if (as_double (a) <= 0)
        return fail_domain (self, "log2", a);
      if (!a.is_double && (a.integer & (a.integer - 1)) == 0)
        *result = integer_number (__builtin_ctzll ((guint64) a.integer));
      else
        *result = real_number (log2 (as_double (a)));
      return TRUE;

    case OP_ABS:
      if (a.is_double)
        *result = real_number (fabs (a.real));
      else if (a.integer == G_MININT64)
        return fail_range (self, "abs", a);
      else
        *result = integer_number (ABS (a.integer));
      return TRUE;

    case OP_SQRT:
      if (as_double (a) < 0)
        return fail_domain (self, "sqrt", a);
      *result = real_number (sqrt (as_double (a)));
      /* The root of a square stays an integer. */
      if (!a.is_double)
        {
          gint64 root = (gint64) result->real, square;

          if (!__builtin_mul_overflow (root, root, &square) && square == a.integer)
            *result = integer_number (root);
        }
      return TRUE;

    default: g_assert_not_reached ();
    }
}

static gboolean
evaluate (Evaluation *self, const Node *node, CuredNumber *result)
{
  CuredNumber a, b;

  switch (node->op)
    {
    case OP_NUMBER: *result = node->number; return TRUE;

    case OP_NAME:
      if (self->lookup == NULL || !self->lookup (node->name, result, self->user_data))
        {
          g_autofree char *message = g_strdup_printf (_ ("there is no “%s”"), node->name);

          return fail (self, CURED_ERROR_NOT_FOUND, message);
        }
      return TRUE;

    case OP_AND:
    case OP_OR:
      if (!evaluate (self, argument (node, 0), &a))
        return FALSE;
      /* The right side is not evaluated if the left one decides, so that it may divide by a value
       * that the left one tests. */
      if (is_true (a) == (node->op == OP_OR))
        {
          *result = integer_number (node->op == OP_OR);
          return TRUE;
        }
      if (!evaluate (self, argument (node, 1), &b))
        return FALSE;
      *result = integer_number (is_true (b));
      return TRUE;

    case OP_CHOOSE:
      return evaluate (self, argument (node, 0), &a) &&
             evaluate (self, argument (node, is_true (a) ? 1 : 2), result);

    case OP_MIN:
    case OP_MAX:
      if (!evaluate (self, argument (node, 0), result))
        return FALSE;
      for (guint i = 1; i < node->arguments->len; i++)
        {
          if (!evaluate (self, argument (node, i), &a))
            return FALSE;
          if (node->op == OP_MIN ? compare (a, *result) < 0 : compare (a, *result) > 0)
            *result = a;
        }
      return TRUE;

    case OP_CEIL:
    case OP_FLOOR:
      if (argument (node, 0)->op == OP_DIVIDE)
        {
          const Node *division = argument (node, 0);

          if (!evaluate (self, argument (division, 0), &a) ||
              !evaluate (self, argument (division, 1), &b))
            return FALSE;
          if (!a.is_double && !b.is_double)
            return divide_whole (self, node->op, a, b, result);
          return divide (self, a, b, &a) && to_whole (self, node->op, a, result);
        }
      return evaluate (self, argument (node, 0), &a) && to_whole (self, node->op, a, result);

    case OP_POW2:
    case OP_LOG2:
    case OP_ABS:
    case OP_SQRT:
      return evaluate (self, argument (node, 0), &a) && apply_function (self, node->op, a, result);

    case OP_NEGATE:
      return evaluate (self, argument (node, 0), &a) &&
             (a.is_double
                  ? (*result = real_number (-a.real), TRUE)
                  : add_subtract_multiply (self, OP_SUBTRACT, integer_number (0), a, result));

    case OP_NOT:
      if (!evaluate (self, argument (node, 0), &a))
        return FALSE;
      *result = integer_number (!is_true (a));
      return TRUE;

    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_REMAINDER:
    case OP_POWER:
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_GREATER:
    case OP_GREATER_EQUAL:
    case OP_EQUAL:
    case OP_NOT_EQUAL: break;

    default: g_assert_not_reached ();
    }

  if (!evaluate (self, argument (node, 0), &a) || !evaluate (self, argument (node, 1), &b))
    return FALSE;
  switch ((int) node->op)
    {
    case OP_DIVIDE: return divide (self, a, b, result);
    case OP_REMAINDER: return remainder_of (self, a, b, result);
    case OP_POWER: return to_power (self, a, b, result);
    case OP_LESS: *result = integer_number (compare (a, b) < 0); return TRUE;
    case OP_LESS_EQUAL: *result = integer_number (compare (a, b) <= 0); return TRUE;
    case OP_GREATER: *result = integer_number (compare (a, b) > 0); return TRUE;
    case OP_GREATER_EQUAL: *result = integer_number (compare (a, b) >= 0); return TRUE;
    case OP_EQUAL: *result = integer_number (compare (a, b) == 0); return TRUE;
    case OP_NOT_EQUAL: *result = integer_number (compare (a, b) != 0); return TRUE;
    default: return add_subtract_multiply (self, node->op, a, b, result);
    }
}

/* `/` of two integers is an integer if it divides without a rest, otherwise a double; `ceil(a/b)`
 * and `floor(a/b)` of integers are exact over the whole range. `&&`, `||` and `?:` evaluate only
 * the operands that they need. Mixed comparisons compare doubles. Fails with CURED_ERROR_OVERFLOW
 * where a result does not fit, CURED_ERROR_INVALID for a division by zero or a function outside its
 * domain, and CURED_ERROR_NOT_FOUND for a name that @lookup does not know. Thread-safe. */
gboolean
cured_expr_evaluate (const CuredExpr *self, CuredExprLookup lookup, gpointer user_data,
                     CuredNumber *result, GError **error)
{
  Evaluation evaluation = { self, lookup, user_data, error };

  g_return_val_if_fail (self != NULL && result != NULL, FALSE);

  return evaluate (&evaluation, self->root, result);
}

/* As cured_expr_evaluate(); fails with CURED_ERROR_INVALID where the value is not a whole
 * number. */
gboolean
cured_expr_evaluate_integer (const CuredExpr *self, CuredExprLookup lookup, gpointer user_data,
                             gint64 *result, GError **error)
{
  CuredNumber number;

  if (!cured_expr_evaluate (self, lookup, user_data, &number, error))
    return FALSE;
  if (as_integer (number, result))
    return TRUE;

  g_autofree char *text = number_to_text (number);
  if (!real_fits (number.real))
    g_set_error (error, CURED_ERROR, CURED_ERROR_OVERFLOW,
                 _ ("“%s” is %s, which does not fit in 64 bits"), self->text, text);
  else
    g_set_error (error, CURED_ERROR, CURED_ERROR_INVALID,
                 _ ("“%s” is %s, and a whole number is needed here; ceil() and floor() make one"),
                 self->text, text);
  return FALSE;
}

/* As cured_expr_evaluate(); an integer is rounded to the nearest double. */
gboolean
cured_expr_evaluate_double (const CuredExpr *self, CuredExprLookup lookup, gpointer user_data,
                            double *result, GError **error)
{
  CuredNumber number;

  if (!cured_expr_evaluate (self, lookup, user_data, &number, error))
    return FALSE;
  *result = as_double (number);
  return TRUE;
}
