"""Which words of the lesson's sentences are nouns there, as the tokenizer writes them."""

WORDS = """
account accountant afternoon ankle answer apple audience autumn ball band bandage bank bathtub
batter bed bees bicycle blues board book border box branches bread browser building burglars button
cable cars cat cent change chess children choir city clouds clove coach coins comet connection copy
cut darkness dawn day deer dentist disk dog door dough drops drummer dust egg end evening exam eyes
fee fence ferry fever film flowers fridge frying furniture galaxy goalkeeper grandmother hall hand
hands head heart hills home horses hour house hurry instrument interest island joy juice key
kilometres kitchen knee knife lamp laptop lawn leg legs lemon length lettuce light line loan lyon
map mat match midnight milk mistake molar moment moon morning mountains neighbours night noon note
notes nurse oak office onions opinion owl page paper passphrase passport peak penalties people
photos piano pinch player plumber pocket poem postman power prices printer program pulse question
radio receipt referee rent rice ring river road romans room roses rubber salt school screen sea
season seat seeds shoe side sides sky slugs snail soil song songs soup spider sport spring stairs
stamp star step suitcases summer sun sunday surgeon tail tap teacher temperature thunder time
tomatoes towers train transfer tray tree tune violinist wages war water way week whale whales
whistle whites wind window wing winter work world year yeast
"""
NOUNS = frozenset(WORDS.split())
