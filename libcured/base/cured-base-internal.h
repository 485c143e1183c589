/* SPDX-License-Identifier: MIT
 * All of base/, and the headers of other libraries that most files use. */
#pragma once

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cured-axis-internal.h"
#include "base/cured-axis.h"
#include "base/cured-bundle.h"
#include "base/cured-confine-internal.h"
#include "base/cured-csv-internal.h"
#include "base/cured-each-internal.h"
#include "base/cured-error.h"
#include "base/cured-expr-internal.h"
#include "base/cured-expr.h"
#include "base/cured-fields-internal.h"
#include "base/cured-fields.h"
#include "base/cured-json-internal.h"
#include "base/cured-limiting-factor.h"
#include "base/cured-limits-internal.h"
#include "base/cured-limits.h"
#include "base/cured-median-internal.h"
#include "base/cured-metric.h"
#include "base/cured-occupancy.h"
#include "base/cured-output-file.h"
#include "base/cured-own.h"
#include "base/cured-printable.h"
#include "base/cured-profile.h"
#include "base/cured-standard-files.h"
#include "base/cured-units-internal.h"
#include "base/cured-units.h"
