"""How a command is asked, and says what it is doing: a bar on a terminal, nothing anywhere else.

`command_line` reads what is asked, and answers --help with what a module says of itself.
`bar` is tqdm's, `progress` goes through some items with one, `stage` is one that is a line where
there is no terminal, and goes on saying what is at work; `say` prints a line above a bar, and what
runs in `stoppable` ends in one sentence when it is interrupted.
"""

import argparse
import contextlib
import threading

MINUTE = 60  # seconds
FORM = "{desc}: {percentage:3.0f}% |{bar:24}| {n_fmt} of {total_fmt}, {elapsed}{postfix}"


def command_line(told):
    """A parser for the words behind a command, whose help is this text as it stands."""
    shown = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(description=told, formatter_class=shown)


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


@contextlib.contextmanager
def stage(doing, total, at=None):
    """A bar, or lines where there is no terminal; `at()` says what it is at.

    It is asked each second, for a line each minute (MINUTE).
    """
    ended = threading.Event()
    with bar(doing, total) as shown:

        def tick():
            while not ended.wait(MINUTE if shown.disable else 1):
                shown.set_postfix_str(at())
                if shown.disable:
                    print(f"  {shown.n} of {total}; now {at()}", flush=True)

        if shown.disable:
            print(f"{doing} ({total})", flush=True)
        if at:
            threading.Thread(target=tick, daemon=True).start()
        try:
            yield shown
        finally:
            ended.set()


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
