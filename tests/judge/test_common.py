"""What several lessons share."""

from attn_lesson.judge import common


def test_whole_numbers_are_drawn_up_to_the_highest():
    """Cases must hold a full valid length."""
    assert common.Draw(0).whole(1, 3, 99).unique().tolist() == [1, 2, 3]
