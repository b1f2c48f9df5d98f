"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "steps": (100, 600),
    "head_dim": [8, 16, 32, 64],
    "heads": (2, 8),
    "tokens": (10, 4000),
    "written_for": {"seed": 0, "steps": 300, "head_dim": 16, "heads": 4, "tokens": 1000},
}
