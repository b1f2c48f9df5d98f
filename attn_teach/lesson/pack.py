"""A lesson's table for editions that learners get: not readable in one line.

`packed(source, words)` gives the text of a module that does what the source and the Markdown file
beside it do, and holds both compressed: answers and letters cannot be read in the file, nor by
`inspect.getsource`. Whoever wants to can undo it in a few lines of Python: it keeps eyes from
slipping, no more.
"""

import base64
import zlib

from .words import PACKED


def packed(source, words):
    """The text of a module that loads this source and these words."""
    data = base64.b85encode(zlib.compress(f"{words}\0{source}".encode(), 9)).decode()
    lines = "\n".join(f'    "{data[i : i + 90]}"' for i in range(0, len(data), 90))
    return (
        '"""Exercises and questions of a lesson, packed."""\n\n'
        f"from .pack import load\n\nload(\n    globals(),\n{lines},\n)\n"
    )


def load(names, data):
    """Run packed source in a module's globals, with its words at hand."""
    words, _, source = zlib.decompress(base64.b85decode(data)).decode().partition("\0")
    PACKED[names["__name__"].rpartition(".")[2]] = words
    exec(compile(source, f"{names['__file__']} (packed)", "exec"), names)
