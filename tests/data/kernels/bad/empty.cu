// SPDX-License-Identifier: MIT
// 3 syntax no header
