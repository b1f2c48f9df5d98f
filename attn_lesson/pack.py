"""How a lesson's table is loaded in editions that learners get; tools/editions/ packs it.

What is packed cannot be read in the file, nor by `inspect.getsource`. Whoever wants to can undo it
in a few lines of Python: it keeps eyes from slipping, no more.
"""

import base64
import zlib

from .words import PACKED


def load(names, data):
    """Run packed source in a module's globals, with its words at hand."""
    words, _, source = zlib.decompress(base64.b85decode(data)).decode().partition("\0")
    PACKED[f"{names['__name__'].split('.')[-2]}/mistakes.md"] = words
    exec(compile(source, f"{names['__file__']} (packed)", "exec"), names)
