"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "steps": (500, 700, 50),
    "few": (400, 600, 50),
    "temperature": (0.5, 1.0),
    "west": ["GB", "FR", "DE", "IT"],
    "east": ["ES", "PL", "JP", "TR"],
    "words": {"words": (20, 10**5), "letters": (2, 14)},
    "written_for": {
        "seed": 0,
        "steps": 600,
        "few": 500,
        "temperature": 0.7,
        "west": "GB",
        "east": "JP",
        "words": "",
    },
}
