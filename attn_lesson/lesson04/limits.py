"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "sharpness": (4.0, 12.0, 0.5),
    "larger_share": (0.7, 0.95),
    "num_heads": [2, 3, 6, 9, 18],
    "steps": (150, 400),
    "learning_rate": (0.03, 0.06),
    "written_for": {"seed": 2, "larger_share": 0.75, "steps": 200, "learning_rate": 0.04},
}
