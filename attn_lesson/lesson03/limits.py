"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "size": (4, 64),
    "v_size": (1, 12),
    "sentence": ["birds sing today", "birds sing in spring", "birds sing in the garden"],
    "extra_pads": (0, 3),
    "lookahead": (0, 5),
    "written_for": {
        "seed": 3,
        "size": 8,
        "v_size": 5,
        "sentence": "birds sing in spring",
        "extra_pads": 0,
        "lookahead": 1,
        "shown": 1,
    },
}
