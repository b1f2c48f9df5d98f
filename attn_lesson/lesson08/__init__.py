"""Dates as people write them, drawn for the lesson, and its first reader's training."""

from .dates import LastState, all_days, draw_dates, right_after, spans
from .readers import learned

__all__ = ["LastState", "all_days", "draw_dates", "learned", "right_after", "spans"]
