"""Make machine.csv or copying.csv again: python -m attn_lesson.lesson12 machine"""

import sys

from . import copying, speed

if __name__ == "__main__":
    for row in {"machine": speed, "copying": copying}[sys.argv[1]].rows():
        print(row, flush=True)
