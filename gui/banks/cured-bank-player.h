/* SPDX-License-Identifier: MIT
 * Plays the wavefronts of an access, or the accesses of a warp. */
#pragma once

#include <adwaita.h>

/* The kinds of steps to play. @CURED_BANK_PLAY_THREADS: of the block; step 0 is all of them
 * together. Not in the player's list: a view that has nothing else to play asks for it */
typedef enum
{
  CURED_BANK_PLAY_WAVEFRONTS, /* of one access; step 0 is all of them together */
  CURED_BANK_PLAY_ACCESSES,   /* of the warp, in time */
  CURED_BANK_PLAY_THREADS,
  CURED_BANK_N_PLAYS
} CuredBankPlay;

#define CURED_TYPE_BANK_PLAYER (cured_bank_player_get_type ())
/* Buttons, a slider and a clock, which stands still while nobody sees it and where animations are
 * turned off. Signal: `moved`: another step, or something else is played. */
G_DECLARE_FINAL_TYPE (CuredBankPlayer, cured_bank_player, CURED, BANK_PLAYER, AdwBin)

void cured_bank_player_set_length (CuredBankPlayer *self, CuredBankPlay play, gsize length);
CuredBankPlay cured_bank_player_get_play (CuredBankPlayer *self);
void cured_bank_player_set_play (CuredBankPlayer *self, CuredBankPlay play);
gsize cured_bank_player_get_step (CuredBankPlayer *self);
void cured_bank_player_set_step (CuredBankPlayer *self, gsize step);
void cured_bank_player_move (CuredBankPlayer *self, int by);
void cured_bank_player_toggle (CuredBankPlayer *self);
gboolean cured_bank_player_is_playing (CuredBankPlayer *self);
