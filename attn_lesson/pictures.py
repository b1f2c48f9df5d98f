"""Pictures that take little room in a notebook: few colors, as near as nobody can tell."""

import numpy as np
from PIL import Image

# Levels of 255 that a color may be off: nobody sees it on a surface, or else on an edge.
SURFACE, BAR, FAINT, EDGE = 1, 2, 4, 32
LINE = 5  # pixels of one color side by side: a color bar changes from line to line


def few_colors(image):
    """The image in at most 256 colors that are near enough to its own, if there are such."""
    pixels = np.asarray(image)
    codes = pixels @ np.array([1 << 16, 1 << 8, 1])
    across, down = codes[:, 1:] == codes[:, :-1], codes[1:, :-1] == codes[:-1, :-1]
    # Most pixels repeat the one before: only the first of a run is looked up.
    starts = np.flatnonzero(np.diff(codes.ravel(), prepend=-1))
    lengths = np.diff(starts, append=codes.size)
    colors, places = np.unique(codes.ravel()[starts], return_inverse=True)
    counts, places = np.bincount(places, lengths), np.repeat(places, lengths)
    # Letters and lines have edges in hundreds of colors; a surface has the same all round.
    surfaces = places.reshape(codes.shape)[:-1, :-1][across[1:] & across[:-1] & down]
    allowed = np.full(len(colors), EDGE)
    # The lines of a bar stand under each other, all equally long; a letter's stroke does not.
    runs = starts * codes.size + lengths
    twins = [np.isin(runs + step * codes.shape[1] * codes.size, runs) for step in (-2, -1, 1, 2)]
    allowed[places[starts[(lengths >= LINE) & (sum(twins) > 2)]]] = BAR
    allowed[surfaces] = SURFACE
    colors = colors[:, None] >> np.array([16, 8, 0]) & 255
    off, chosen, palette = np.full(len(colors), 256), np.zeros(len(colors), np.uint8), []
    for index in np.lexsort((-counts, allowed)):  # surfaces first, then what is frequent
        if off[index] > allowed[index]:
            if len(palette) == 256:
                return image
            distance = np.abs(colors - colors[index]).max(axis=1)
            # A faint line stays: it does not become the background.
            nearer = distance < (off if palette else np.minimum(off, FAINT + 1))
            off[nearer], chosen[nearer] = distance[nearer], len(palette)
            palette.append(colors[index])
    few = Image.frombytes("P", image.size, chosen[places].tobytes())
    few.putpalette(np.array(palette, np.uint8).tobytes())
    return few
