"""What the lesson's parameters may be, and the values that its text is written for."""

LIMITS = {
    "seed": (0, 10**6),
    "measured": (24, 84, 12),
    "switched": (6, 18, 6),
    "sentence": [
        "the horse left the barn because it was hungry",
        "the cat sat on the mat",
        "nobody saw the owl before it saw us",
        "a passphrase is longer than a password",
    ],
    "query": [
        "my tooth hurts",
        "felines",
        "insects that communicate",
        "how do I back up my pictures?",
    ],
    "written_for": {
        "sentence": "the horse left the barn because it was hungry",
        "query": "my tooth hurts",
        "measured": 84,
        "switched": 12,
        "seed": 7,
    },
}
