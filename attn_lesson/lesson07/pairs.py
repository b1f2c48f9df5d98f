"""Minimal pairs: two nouns in capitals, two endings; the first noun suits the first ending."""

PAIRS = """
the ANIMAL did not cross the STREET because it was too tired / wide
the TROPHY does not fit in the SUITCASE because it is too big / small
the BALL broke the TABLE because it was made of steel / glass
the CAT did not eat the FISH because it was too shy / rotten
the BOAT could not pass the BRIDGE because it was too tall / low
the TRUCK could not enter the TUNNEL because it was too wide / narrow
the SPOON did not fit into the JAR because it was too long / small
the DOG did not climb the WALL because it was too old / high
the BIRD left the CAGE because it was hungry / open
the SNAKE did not enter the HOLE because it was too fat / small
""".strip().splitlines()

NEW_PAIRS = """
the DOG chased the CAT because it was angry / scared
the MOUSE ran from the OWL because it was afraid / hungry
the KEY did not open the DOOR because it was bent / locked
the TRUCK passed the BUS because it was fast / slow
the TABLE did not go through the DOOR because it was too wide / narrow
the BOTTLE did not fit in the BAG because it was too large / small
the BEAR did not climb the TREE because it was too heavy / thin
the KNIFE did not cut the BREAD because it was too blunt / hard
the SHIP did not enter the HARBOR because it was too large / shallow
the COW did not drink the WATER because it was sick / dirty
the FOX left the FOREST because it was hungry / burning
the HORSE did not cross the RIVER because it was too tired / deep
the RABBIT left the GARDEN because it was full / empty
the BALL did not fit in the BOX because it was too big / small
the GOAT did not eat the GRASS because it was ill / dry
the PHONE fell off the SHELF because it was slippery / crooked
the CAR did not cross the BRIDGE because it was too heavy / weak
""".strip().splitlines()


def parts_of(pair):
    """The two sentences of a pair, and its nouns in small letters: two lists.

    Raises:
        ValueError: when there are not two nouns in capitals and two endings, or no `it`.
    """
    start, _, second = pair.partition("/")
    start, _, first = start.strip().rpartition(" ")
    words = [word.strip(",.;:!") for word in start.split()]
    nouns = [word.lower() for word in words if word.isupper() and len(word) > 1]
    if len(nouns) != 2 or nouns[0] == nouns[1] or "it" not in words or not second.strip():
        raise ValueError("two NOUNS in capitals, the word it, and two endings with / between them")
    return [f"{start} {ending}" for ending in (first, second.strip())], nouns
