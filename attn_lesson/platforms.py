"""What differs between operating systems, all in one place; tried on Linux alone.

    what                    on Linux                       elsewhere, or with an accelerator
    ----------------------  -----------------------------  ------------------------------------
    an answer is run in     a forked child                 the notebook's own process
                            (judge/child.py: in_child)       (in_this_process)
    its processor time      the child's clock              the whole process (time.process_time)
    an endless loop         the child is killed            an exception ends it, raised in its
                                                           thread again and again; Python 3.10
                                                           CANNOT, where `except:` catches it
    one call of C that      the child is killed            CANNOT be stopped: interrupt or restart
    never returns, as of                                   the kernel by hand
    torch or time.sleep
    memory                  RLIMIT_AS                      no limit: what cannot be given is a
                                                           MemoryError; the machine may swap
    os._exit, a crash in C  end the child, which is told   END the notebook's kernel
    new processes, signals  an audit hook refuses them     are allowed
    to others
    input, breakpoint       refused                        ask, as in any cell
    torch's global state    is lost with the child         is put back (sandbox.settled); what
                                                           else it changes stays changed
    the notebook is killed  RLIMIT_CPU ends the child      there is no child
    make mark               Landlock, seccomp, an audit    refuses to start
                            hook (classroom/marking/guard.py)
    make, .venv/bin         the Makefile                   Windows: README.md says what to type;
                                                           .venv/Scripts (tools/set_up.py)
    links                   tests make them                Windows: those tests are skipped

The same everywhere: paths are pathlib's; text is read and written as UTF-8, with "\\n" where a file
is kept (.gitattributes: eol=lf); nothing locks a file; nothing of a lesson sends a signal.
"""

import sys

import torch


def can_fork():
    """Whether a fork is safe and cheap. An accelerator's driver does not survive one."""
    return sys.platform == "linux" and not torch.accelerator.is_available()
