# SPDX-License-Identifier: MIT
"""The command itself: ``python -m cured``, and the script of the wheel."""
import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main())
