"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "n": [512, 1024, 2048],
    "d": [32, 64],
    "window": (32, 400),
    "written_for": {"seed": 0, "n": 1024, "d": 64, "window": 200},
}
