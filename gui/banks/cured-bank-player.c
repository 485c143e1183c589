/* SPDX-License-Identifier: MIT
 * Plays the wavefronts of an access, or the accesses of a warp. */
#include <config.h>

#include "banks/cured-gui-banks.h"

#include <math.h>

/* Steps per second at normal speed. */
#define STEPS_PER_S 2.0

/* For Page Up and Page Down on the slider. */
#define PAGE_STEPS 8.0

struct _CuredBankPlayer
{
  AdwBin parent_instance;

  /* Template widgets */
  GtkDropDown *what, *speed;
  GtkWidget *previous, *next;
  GtkButton *play;
  GtkRange *slider;
  GtkLabel *label;

  CuredBankPlay playing;
  gsize lengths[CURED_BANK_N_PLAYS], step;
  int roomy; /* width required with the slider */
  guint fit_id;
  guint timer_id; /* 0: not playing */
};

G_DEFINE_FINAL_TYPE (CuredBankPlayer, cured_bank_player, ADW_TYPE_BIN)

/* ORDER: of the list. */
static const struct
{
  const char *title;
  double factor;
} speeds[] = {
  { "½×", 0.5 }, { "1×", 1.0 }, { "2×", 2.0 }, { "4×", 4.0 }, { "8×", 8.0 },
};

/* For wavefronts and threads, step 0 shows all together, so there is one more. */
static gsize
get_last_step (CuredBankPlayer *self)
{
  gsize length = self->lengths[self->playing];

  if (self->playing != CURED_BANK_PLAY_ACCESSES)
    return length;
  return length > 0 ? length - 1 : 0;
}

static gboolean
may_animate (CuredBankPlayer *self)
{
  gboolean is_enabled = TRUE;

  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &is_enabled,
                NULL);
  return is_enabled;
}

static char *
describe_step (CuredBankPlayer *self)
{
  gsize length = self->lengths[self->playing];
  g_autofree char *all = cured_format_count ((gint64) length);
  g_autofree char *step = NULL;

  if (self->playing == CURED_BANK_PLAY_WAVEFRONTS && self->step == 0)
    /* Translators: all wavefronts of an access are shown together. */
    return g_strdup_printf (ngettext ("%s wavefront", "All %s wavefronts", length), all);
  if (self->playing == CURED_BANK_PLAY_WAVEFRONTS)
    {
      step = cured_format_count ((gint64) self->step);
      /* Translators: of an access to shared memory: 3 of 8. */
      return g_strdup_printf (_ ("Wavefront %s of %s"), step, all);
    }
  if (self->playing == CURED_BANK_PLAY_THREADS && self->step == 0)
    /* Translators: all threads of a block are shown together. */
    return g_strdup_printf (ngettext ("%s thread", "All %s threads", length), all);
  if (self->playing == CURED_BANK_PLAY_THREADS)
    {
      step = cured_format_count ((gint64) self->step - 1);
      /* Translators: the number of a thread of a block, from 0. */
      return g_strdup_printf (_ ("Thread %s"), step);
    }
  if (length == 0)
    return g_strdup ("");
  step = cured_format_count ((gint64) self->step + 1);
  /* Translators: of those of a warp to shared memory, in time: 3 of 260. */
  return g_strdup_printf (_ ("Access %s of %s"), step, all);
}

static void
update (CuredBankPlayer *self)
{
  gsize last = get_last_step (self);
  g_autofree char *text = describe_step (self);
  gboolean is_playing = self->timer_id != 0;
  const char *play_text = is_playing ? _ ("Pause") : _ ("Play");

  /* Set together, so that the slider never differs from the player. */
  gtk_adjustment_configure (gtk_range_get_adjustment (self->slider), (double) self->step, 0.0,
                            (double) MAX (last, 1), 1.0, PAGE_STEPS, 0.0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->slider), last > 0);
  gtk_widget_set_sensitive (self->previous, self->step > 0);
  gtk_widget_set_sensitive (self->next, self->step < last);
  gtk_widget_set_sensitive (GTK_WIDGET (self->play), last > 0 && may_animate (self));
  gtk_button_set_icon_name (self->play, is_playing ? "media-playback-pause-symbolic"
                                                   : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (
      GTK_WIDGET (self->play),
      may_animate (self) ? play_text
                         : _ ("Animations are turned off in the system's settings; step instead"));
  cured_widget_name (self->play, play_text, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->slider), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  text, -1);
  gtk_label_set_label (self->label, text);
}

static void
stop (CuredBankPlayer *self)
{
  if (self->timer_id == 0)
    return;
  g_clear_handle_id (&self->timer_id, g_source_remove);
  update (self);
}

static void
go_to (CuredBankPlayer *self, gsize step)
{
  self->step = step;
  update (self);
  g_signal_emit_by_name (self, "moved");
}

static gboolean
tick_cb (CuredBankPlayer *self)
{
  gboolean is_last = self->step + 1 >= get_last_step (self);

  if (is_last)
    self->timer_id = 0;
  go_to (self, MIN (self->step + 1, get_last_step (self)));
  return is_last ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void
start (CuredBankPlayer *self)
{
  double factor = 1.0;
  gsize index;

  if (!may_animate (self) || !gtk_widget_get_mapped (GTK_WIDGET (self)) ||
      get_last_step (self) == 0)
    return;
  if (cured_choice_get_selected (self->speed, &index))
    factor = speeds[index].factor;
  g_clear_handle_id (&self->timer_id, g_source_remove);
  self->timer_id = g_timeout_add ((guint) lround (1000.0 / (STEPS_PER_S * factor)),
                                  G_SOURCE_FUNC (tick_cb), self);
  /* At the end, playing restarts. */
  if (self->step >= get_last_step (self))
    go_to (self, 0);
  else
    update (self);
}

static void
slid_cb (CuredBankPlayer *self)
{
  gsize step = (gsize) lround (gtk_range_get_value (self->slider));

  if (step != self->step)
    go_to (self, MIN (step, get_last_step (self)));
}

static void
previous_cb (CuredBankPlayer *self)
{
  cured_bank_player_move (self, -1);
}

static void
next_cb (CuredBankPlayer *self)
{
  cured_bank_player_move (self, 1);
}

static void
what_cb (CuredBankPlayer *self)
{
  gsize index;

  if (!cured_choice_get_selected (self->what, &index))
    return;
  stop (self);
  self->playing = (CuredBankPlay) index;
  go_to (self, 0);
}

static void
speed_cb (CuredBankPlayer *self)
{
  if (self->timer_id != 0)
    start (self);
}

static void
animations_cb (CuredBankPlayer *self)
{
  if (!may_animate (self))
    stop (self);
  update (self);
}

static void
cured_bank_player_unmap (GtkWidget *widget)
{
  stop (CURED_BANK_PLAYER (widget));
  GTK_WIDGET_CLASS (cured_bank_player_parent_class)->unmap (widget);
}

/* ---- Layout ---- */

static void
fit_cb (CuredBankPlayer *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->slider),
                          gtk_widget_get_width (GTK_WIDGET (self)) >= self->roomy);
}

static void
cured_bank_player_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                           int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  GtkWidget *child = adw_bin_get_child (ADW_BIN (widget));

  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (child != NULL)
    gtk_widget_measure (child, orientation, for_size, minimum, natural, minimum_baseline,
                        natural_baseline);
}

/* Hides the slider if the other controls would be cut off; buttons and keys can replace it. */
static void
cured_bank_player_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  CuredBankPlayer *self = CURED_BANK_PLAYER (widget);
  GtkWidget *child = adw_bin_get_child (ADW_BIN (widget));

  if (child == NULL)
    return;
  gboolean has_slider = gtk_widget_get_visible (GTK_WIDGET (self->slider));
  if (has_slider)
    gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &self->roomy, NULL, NULL);
  if (has_slider != (width >= self->roomy) && self->fit_id == 0)
    CURED_LATER (fit_id, 0, fit_cb);
  gtk_widget_allocate (child, width, height, baseline, NULL);
}

static void
cured_bank_player_class_init (CuredBankPlayerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = cured_bank_player_measure;
  widget_class->size_allocate = cured_bank_player_size_allocate;
  widget_class->unmap = cured_bank_player_unmap;

  cured_class_add_signal (klass, "moved", 0);

  cured_template_set (klass, "cured-bank-player");
  CURED_CALLBACKS (slid_cb);
  CURED_BIND (CuredBankPlayer, what, previous, play, next, slider, label, speed);
  CURED_TIMERS (CuredBankPlayer, fit_id, timer_id);
  CURED_CALLBACKS (previous_cb, next_cb, cured_bank_player_toggle);
}

static void
fill_what (CuredBankPlayer *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);

  cured_choice_add (store, CURED_BANK_PLAY_WAVEFRONTS, _ ("Wavefronts"), NULL,
                    _ ("Plays the wavefronts of the access, one after the other"));
  cured_choice_add (
      store, CURED_BANK_PLAY_ACCESSES,
      /* Translators: accesses to shared memory in the order of time. */
      _ ("In time"), NULL,
      _ ("Plays the warp's accesses to shared memory in the order in which they ran"));
  cured_choice_fill (self->what, store, 0);
}

static void
fill_speed (CuredBankPlayer *self)
{
  g_autoptr (GListStore) store = g_list_store_new (CURED_TYPE_CHOICE);

  for (gsize i = 0; i < G_N_ELEMENTS (speeds); i++)
    {
      cured_choice_add (store, i, speeds[i].title, NULL,
                        _ ("Speed; normal is two positions per second"));
    }
  cured_choice_fill (self->speed, store, 1);
}

static void
cured_bank_player_init (CuredBankPlayer *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_layout_manager (GTK_WIDGET (self), NULL);
  fill_what (self);
  fill_speed (self);
  cured_choice_connect (self->what, G_CALLBACK (what_cb), self);
  cured_choice_connect (self->speed, G_CALLBACK (speed_cb), self);
  CURED_CONNECT (gtk_widget_get_settings (GTK_WIDGET (self)), "notify::gtk-enable-animations",
                 animations_cb);
  update (self);
}

/* Sets the number of items. Limits the current step; emits no signal. */
void
cured_bank_player_set_length (CuredBankPlayer *self, CuredBankPlay play, gsize length)
{
  g_return_if_fail (play < CURED_BANK_N_PLAYS);

  self->lengths[play] = length;
  self->step = MIN (self->step, get_last_step (self));
  update (self);
}

/* The kind of steps to play. */
CURED_GETTER (CuredBankPlay, cured_bank_player_get_play, CuredBankPlayer, playing)

/* Stops, and goes to the beginning of another kind of steps. Emits `moved` unless it is the current
 * kind. */
void
cured_bank_player_set_play (CuredBankPlayer *self, CuredBankPlay play)
{
  if (play == self->playing)
    return;
  stop (self);
  self->playing = play;
  gtk_widget_set_visible (GTK_WIDGET (self->what), play != CURED_BANK_PLAY_THREADS);
  if (play != CURED_BANK_PLAY_THREADS)
    cured_choice_set_selected (self->what, play);
  go_to (self, 0);
}

/* For wavefronts and threads: 0: all together, otherwise an item's number, from 1; for accesses: an
 * index. */
CURED_GETTER (gsize, cured_bank_player_get_step, CuredBankPlayer, step)

/* Goes to a step without emitting a signal. */
void
cured_bank_player_set_step (CuredBankPlayer *self, gsize step)
{
  self->step = MIN (step, get_last_step (self));
  update (self);
}

/* Stops, and goes to another step. Emits `moved` if it differs. @by: number of steps; negative:
 * backwards. */
void
cured_bank_player_move (CuredBankPlayer *self, int by)
{
  stop (self);
  gssize step = CLAMP ((gssize) self->step + by, 0, (gssize) get_last_step (self));
  if ((gsize) step != self->step)
    go_to (self, (gsize) step);
}

/* Plays or pauses. Does nothing if animations are disabled. */
void
cured_bank_player_toggle (CuredBankPlayer *self)
{
  if (self->timer_id != 0)
    stop (self);
  else
    start (self);
}

/* Whether the timer runs. */
gboolean
cured_bank_player_is_playing (CuredBankPlayer *self)
{
  return self->timer_id != 0;
}
