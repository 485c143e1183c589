/* SPDX-License-Identifier: MIT
 * A device for the tests: computes what the reference says, takes made-up times, and fails where it
 * is told to. */
#pragma once

#include "device/cured-device.h"

/**
 * fake_device_open:
 * @id: any id; becomes the device's
 *
 * What goes wrong is said by the environment variable `CURED_FAKE`, a comma-separated list of
 * `ACTION=VALUE`, such as `hang=3,crash=5`. An action happens in cells in which the key parameter
 * has the value; the key is `blocks` where the kernel has it, its first parameter otherwise, or
 * what `key=NAME` says. `*` is every cell.
 *
 * - `fail`: the launch fails, the device stays usable
 * - `sticky`: the launch fails, the device is lost
 * - `hang`: the launch never ends
 * - `crash`, `segv`, `kill`: the process dies of SIGABRT, SIGSEGV, SIGKILL
 * - `exit`: the process ends without a word
 * - `lie`: an element of the output is wrong
 * - `print`: the kernel prints a line; `chatter`: it prints a megabyte
 * - `slow`: the cell takes 300 ms longer
 * - `wait`: the cell waits until there is the file that `until=FILE` names;
 *   `wait-later`, `fail-later`: it does so, or fails, in any process but the first
 *
 * Not keyed: `name=TEXT` is another name; `percent=N` makes it so much slower than it would be,
 * `drift=N` from its 200th span on; `sharing=TEXT` says who else is there; `ms=N` makes every cell
 * take N ms longer; `mib=N` gives the device that much memory; `open=fail` makes opening fail, and
 * `open-ms=N` slow; `starts=FILE` gets a byte for each device that is opened; `load-ms=N` is what a
 * worker takes before it waits for its hello, `leave-ms=N` what it takes to end, and `leave-at=N`
 * lets it end once `starts` has N bytes; as it ends, `left=FILE` gets their number, a digit;
 * `alone=FILE` makes the device one that refuses a second process while there is the file, and lets
 * a process end, and with it the file, once another one was refused: then there is `FILE.refused`.
 */
CuredDevice *fake_device_open (const char *id, GError **error);
