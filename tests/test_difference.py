"""A picture of what is wrong comes where it says more than numbers."""

import torch

import attn_teach
from attn_lesson import difference


def test_a_wrong_matrix_is_shown():
    expected, got = torch.eye(3), torch.eye(3).flip(0)
    figure = difference.draw_difference(expected, got)
    assert [ax.get_title() for ax in figure.axes] == ["expected", "got", "got - expected"]
    assert "4 of 9 cells are wrong and outlined: row 0 column 0" in figure.alt
    got[0, 1] = 5
    _, _, third = difference.draw_difference(expected, got).axes
    assert third.images[0].get_array()[0].tolist() == [-1, 5, 1]
    boxes = {(patch.get_y() + 0.5, patch.get_x() + 0.5) for patch in third.patches}
    assert boxes == {(0, 0), (0, 1), (0, 2), (2, 0), (2, 2)}, "rows run down"
    assert [len(ax.patches) for ax in figure.axes] == [0, 4, 4]
    assert len(difference.draw_difference(expected, torch.ones(3, 2)).axes) == 2
    assert difference.draw_difference(torch.ones(2, 3, 4) > 0, torch.ones(2, 3, 4) < 0) is not None
    nothing_finite = difference.draw_difference(torch.full((2, 2), torch.nan), torch.ones(2, 2))
    assert nothing_finite is not None
    shapes = (13, 2), (3,), (0, 2), (1, 1), (1, 5), (4, 1), (1, 1, 3)
    for odd in (None, *map(torch.ones, shapes)):
        assert difference.draw_difference(odd, odd) is None
    attn_teach.plt.close("all")
