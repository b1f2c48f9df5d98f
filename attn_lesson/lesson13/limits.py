"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "batch": (2, 4),
    "heads": (2, 4),
    "num_queries": (4, 6),
    "num_keys": (7, 9),
    "large": (8.0, 10.0),
    "written_for": {
        "seed": 0,
        "batch": 2,
        "heads": 3,
        "num_queries": 5,
        "num_keys": 7,
        "large": 8.0,
    },
}
