"""Make machine.csv, fresh.csv or copying.csv again: python -m attn_lesson.lesson12 machine"""

import sys

from . import copying, speed

MAKERS = {
    "machine": speed.rows,
    "fresh": speed.fresh_rows,
    "tables": lambda: (f"{what},{n},{value:.6g}" for what, n, value in speed.tables()),
    "copying": copying.rows,
}

if __name__ == "__main__":
    for row in MAKERS[sys.argv[1]]():
        print(row, flush=True)
