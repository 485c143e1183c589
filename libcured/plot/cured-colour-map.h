/* SPDX-License-Identifier: MIT
 * Colour maps with even lightness, safe for colour-blind readers. */
#pragma once

#include <glib.h>

/* sRGB, 0 … 1. */
typedef struct
{
  double red, green, blue;
} CuredColour;

/* A named ramp of 256 colours whose CIE lightness rises from the first to the last or, in a
 * diverging map, from both ends to the middle. */
typedef struct
{
  const char *id;         /* "viridis" */
  const char *title;      /* untranslated */
  const guint8 (*rgb)[3]; /* 256 rows */
} CuredColourMap;

const CuredColourMap *cured_colour_map_list (gsize *n_maps);
const CuredColourMap *cured_colour_map_find (const char *id);
CuredColour cured_colour_map_get (const CuredColourMap *self, double position);
guint32 cured_colour_map_get_pixel (const CuredColourMap *self, double position);
