"""Make runs.csv again: python -m attn_lesson.lesson15 runs"""

import sys

from . import designs

MAKERS = {"runs": designs.rows}

if __name__ == "__main__":
    for line in MAKERS[sys.argv[1]]():
        print(line, flush=True)
