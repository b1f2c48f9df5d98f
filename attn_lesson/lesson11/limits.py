"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "num_heads": (2, 6),
    "size": (4, 8, 2),
    "slots": (5, 8),
    "real": (1, 4),
    "written_for": {"seed": 0, "num_heads": 4, "size": 6, "slots": 5, "real": 3},
}
