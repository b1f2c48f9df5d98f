"""Make heads.csv again: python -m attn_lesson.lesson10 heads"""

import sys

from . import published_model
from .heads import rows

if __name__ == "__main__":
    if sys.argv[1:] != ["heads"]:
        sys.exit(__doc__)
    for row in rows(published_model()):
        print(row, flush=True)
