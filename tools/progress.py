"""How a command says what it is doing: a bar on a terminal, nothing anywhere else.

`bar` is tqdm's, `progress` goes through some items with one, `say` prints a line above it, and
what runs in `stoppable` ends in one sentence when it is interrupted.
"""

import contextlib

FORM = "{desc}: {percentage:3.0f}% |{bar:24}| {n_fmt} of {total_fmt}, {elapsed}{postfix}"


def bar(doing, total):
    """A bar of that many steps; `update()` ends a step, `set_postfix_str` says what it is at."""
    from tqdm import tqdm  # a learner who only opens lessons may have none

    return tqdm(desc=doing, total=total, bar_format=FORM, disable=None, dynamic_ncols=True)


def progress(items, doing, name=str):
    """Yield the items, with a bar that says the name of the one that is being worked on."""
    items = list(items)
    with bar(doing, len(items)) as shown:
        for item in items:
            shown.set_postfix_str(name(item))
            yield item
            shown.update()
        shown.set_postfix_str("")


def say(line):
    """Print a line, above the bar if there is one."""
    from tqdm import tqdm

    with tqdm.external_write_mode():
        print(line, flush=True)


@contextlib.contextmanager
def stoppable(left):
    """End in one sentence if somebody presses Ctrl-C: what is left of the work."""
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(f"\nstopped; {left}") from None
