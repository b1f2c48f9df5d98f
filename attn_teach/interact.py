"""Forwards to `attn_teach.lesson.interact`."""

import sys

from .lesson import interact

sys.modules[__name__] = interact
