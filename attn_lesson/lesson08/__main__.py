"""Make readers.csv again: python -m attn_lesson.lesson08 readers"""

import sys

from . import readers

MAKERS = {"readers": readers.rows}

if __name__ == "__main__":
    for line in MAKERS[sys.argv[1]]():
        print(line, flush=True)
