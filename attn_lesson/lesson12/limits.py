"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "longest": [1024, 2048, 4096],
    "block": [32, 64, 128],
    "size": [32, 64],
    "workers": (2, 4),
    "written_for": {"seed": 0, "longest": 4096, "block": 64, "size": 64, "workers": 3},
}
