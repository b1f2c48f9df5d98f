"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "stretch": (0.8, 1.2),
    "sizes": [(4, 2048)],
    "num_rows": (100, 500),
    "num_keys": (4, 64),
    "num_hiddens": (4, 32),
    "n": (2, 256),
    "m": (2, 256),
    "d": (2, 128),
    "u": (1, 128),
    "written_for": {
        "seed": 0,
        "stretch": 1.0,
        "sizes": [4, 16, 64, 256, 1024],
        "num_rows": 500,
        "num_keys": 16,
    },
}
