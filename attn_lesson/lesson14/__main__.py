"""Make families.json again: python -m attn_lesson.lesson14 families"""

import sys

from . import theirs

MAKERS = {"families": theirs.lines}

if __name__ == "__main__":
    for line in MAKERS[sys.argv[1]]():
        print(line, flush=True)
