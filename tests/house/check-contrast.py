#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fails where dim text of the window has a contrast of less than 4.5 : 1 (WCAG
2.1, level AA) on a ground of the platform's style sheet.

usage: check-contrast.py ROOT
"""
import pathlib
import re
import sys

LEAST = 4.5

# Of libadwaita: foreground, its opacity, and the grounds that text is on.
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
SCHEMES = {
    "light": (BLACK, 0.8, {"window": (250, 250, 250), "card": WHITE,
                           "header bar": (235, 235, 235)}),
    "dark": (WHITE, 1.0, {"window": (36, 36, 36), "card": (54, 54, 54),
                          "header bar": (48, 48, 48)}),
}

# Text that libadwaita dims as it does .dim-label, each by a selector of its own.
DIM = ("headerbar .subtitle", "windowtitle .subtitle", "scale > value",
       "progressbar > text", "spinbutton > text > placeholder",
       "entry > text > placeholder")


def get_luminance(colour):
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
              for c in (value / 255 for value in colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def get_contrast(foreground, ground, opacity):
    mixed = [f * opacity + g * (1 - opacity) for f, g in zip(foreground, ground)]
    dark, light = sorted((get_luminance(mixed), get_luminance(ground)))
    return (light + 0.05) / (dark + 0.05)


def main():
    style = (pathlib.Path(sys.argv[1]) / "gui/style.css").read_text(encoding="utf-8")
    dim = re.search(r"\.dim-label,([^{]*)\{\s*opacity: ([0-9.]+);", style)
    wrong = 0

    if dim is None:
        print("gui/style.css has no opacity for .dim-label")
        return 1
    for name in DIM:
        if name not in re.split(r",\s*", dim.group(1).strip()):
            print(f"gui/style.css leaves {name} as dim as libadwaita has it")
            wrong += 1
    for scheme, (foreground, opacity, grounds) in SCHEMES.items():
        for name, ground in grounds.items():
            contrast = get_contrast(foreground, ground, opacity * float(dim.group(2)))
            print(f"dim text, {scheme} {name}: {contrast:.2f} : 1")
            wrong += contrast < LEAST
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
