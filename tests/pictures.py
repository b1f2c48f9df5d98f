"""Do two pictures show the same? Fonts and edges may differ, a cell or a curve may not.

Each picture is blurred a little, and every pixel of one must lie between the darkest and the
brightest pixel that the other has nearby. What sticks out of this range is the excess. Edges
that moved by a pixel have none; a heatmap's cell of another colour has it all over. A letter
that is drawn a bit otherwise has it in spots, so it is averaged over small windows.
"""

import base64
import io

import matplotlib
import numpy as np
from PIL import Image
from scipy.ndimage import maximum_filter, minimum_filter, uniform_filter

SIZE = 3  # pixels that widths and heights may differ by
SHIFT = 1  # pixels that one picture is moved by to fit the other
LOCAL = 0.12  # largest excess averaged over a window, of the 0 to 1 from black to white
MEAN = 0.004  # largest excess averaged over the picture
REACH = 2  # pixels between a pixel and the ends of its neighbourhood
WINDOW = 5  # pixels along a window

DRAWN_BY = (3, 11)  # the Matplotlib that drew the pictures in the lessons
COMPARABLE = matplotlib.__version_info__[:2] == DRAWN_BY
WHY_NOT = "Matplotlib {}.{} drew the pictures; other versions set text otherwise".format(*DRAWN_BY)


def decode(png, sharp=1):
    """Return the base64 text of a PNG as an array (rows, columns, 3) from 0 to 1, over white.

    One that is `sharp` times as sharp as it is shown is brought to the size that it has there.
    """
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA").reduce(sharp)
    white = Image.new("RGBA", picture.size, "white")
    return np.asarray(Image.alpha_composite(white, picture).convert("RGB")) / 255


def compare(stored, fresh, sharp=1):
    """Return what is wrong with the fresh picture (base64 text of a PNG), as a list of texts."""
    if stored == fresh:
        return []
    a, b = decode(stored, sharp), decode(fresh, sharp)
    if np.abs(np.subtract(a.shape, b.shape)).max() > SIZE:
        return [
            f"the picture's size was {a.shape[1]} x {a.shape[0]}, is {b.shape[1]} x {b.shape[0]}"
        ]
    excess = _excess(a, b)
    local = uniform_filter(excess, WINDOW)
    y, x = np.unravel_index(local.argmax(), local.shape)
    if local.max() > LOCAL:
        return [f"the picture differs near x = {x}, y = {y} by {local.max():.2f} (of {LOCAL})"]
    if excess.mean() > MEAN:
        return [f"the picture differs all over, by {excess.mean():.4f} (of {MEAN})"]
    return []


def _excess(a, b):
    """Return by how much each pixel of one picture is beyond its neighbourhood in the other."""
    shape = np.maximum(a.shape, b.shape)[:2] + 2 * SHIFT
    a = _placed(a, shape, SHIFT, SHIFT)
    moves = range(2 * SHIFT + 1)
    moved = [_placed(b, shape, dy, dx) for dy in moves for dx in moves]
    b = min(moved, key=lambda candidate: np.abs(a - candidate).mean())
    return np.maximum(_beyond(a, b), _beyond(b, a))


def _placed(picture, shape, dy, dx):
    """Return the picture, slightly blurred, on a white sheet of the given shape."""
    sheet = np.ones((*shape, 3))
    sheet[dy : dy + picture.shape[0], dx : dx + picture.shape[1]] = picture
    return uniform_filter(sheet, (3, 3, 1))


def _beyond(a, b):
    nearby = (2 * REACH + 1, 2 * REACH + 1, 1)
    above, below = a - maximum_filter(b, nearby), minimum_filter(b, nearby) - a
    return np.maximum(np.maximum(above, below), 0).max(axis=-1)
