/* SPDX-License-Identifier: MIT
 * Plays the wavefronts of an access, or the accesses of a warp. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/**
 * CuredBankPlay: what is played.
 * @CURED_BANK_PLAY_WAVEFRONTS: of one access; step 0 is all of them together
 * @CURED_BANK_PLAY_ACCESSES: of the warp, in time
 */
typedef enum
{
  CURED_BANK_PLAY_WAVEFRONTS,
  CURED_BANK_PLAY_ACCESSES,
} CuredBankPlay;

#define CURED_TYPE_BANK_PLAYER (cured_bank_player_get_type ())
/**
 * CuredBankPlayer:
 *
 * Buttons, a slider and a clock, which stands still while nobody sees it and
 * where animations are turned off. Signal: `moved`: another step, or something
 * else is played.
 */
G_DECLARE_FINAL_TYPE (
    CuredBankPlayer, cured_bank_player, CURED, BANK_PLAYER, AdwBin)

void cured_bank_player_set_lengths (CuredBankPlayer *self,
                                    gsize n_wavefronts,
                                    gsize n_accesses);
CuredBankPlay cured_bank_player_get_play (CuredBankPlayer *self);
void cured_bank_player_set_play (CuredBankPlayer *self, CuredBankPlay play);
gsize cured_bank_player_get_step (CuredBankPlayer *self);
void cured_bank_player_set_step (CuredBankPlayer *self, gsize step);
void cured_bank_player_move (CuredBankPlayer *self, int by);
void cured_bank_player_toggle (CuredBankPlayer *self);
gboolean cured_bank_player_is_playing (CuredBankPlayer *self);

G_END_DECLS
