"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "fast": (1000, 90_000),
    "window": (32, 400),
    "prefix": (1, 1000),
    "summed": (3000, 20_000),
    "written_for": {"seed": 0, "fast": 30_000, "window": 200, "prefix": 100, "summed": 4096},
}
