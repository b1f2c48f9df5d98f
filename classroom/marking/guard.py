"""Lock up this process: from then on it may compute and read libraries, and nothing else.

Three walls, as many as there are. Python's own audit hook, everywhere, which code in C can get
around; Landlock (Linux 5.13), where files outside the libraries cannot be opened at all; and
seccomp (Linux with libseccomp), which refuses to write files, reach a network or another process.
"""

import contextlib
import errno
import os
import sys
import sysconfig
from pathlib import Path

import torch

import attn_lesson
from attn_lesson.judge import sandbox

# Loaded before anything is locked up: behind the first wall the second one could not be built.
landlock = seccomp = None
with contextlib.suppress(ImportError):
    import landlock
with contextlib.suppress(ImportError, OSError, RuntimeError):  # or no library on the system
    import pyseccomp as seccomp


ROOT = Path(__file__).resolve().parents[2]


# None of these is needed to compute: calls of Linux, and what Python itself calls such things.
CALLS = """
    socket socketpair connect bind accept accept4 sendto sendmsg fork vfork execve execveat kill
    tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd ptrace
    process_vm_readv process_vm_writev process_madvise setsid setpgid setrlimit creat unlink
    unlinkat rmdir rename renameat renameat2 mkdir mkdirat mknod mknodat link linkat symlink
    symlinkat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat truncate ftruncate
    utime utimes utimensat futimesat setxattr lsetxattr fsetxattr mount umount2 move_mount
    pivot_root chroot unshare setns bpf perf_event_open io_uring_setup openat2 open_by_handle_at
    shmget msgget semget mq_open userfaultfd keyctl add_key request_key reboot sethostname
    memfd_create memfd_secret fallocate setpriority sched_setaffinity sched_setscheduler
    sched_setparam sched_setattr ioprio_set clock_settime clock_adjtime settimeofday adjtimex
    init_module finit_module delete_module fsopen fsconfig fsmount open_tree swapon swapoff
    kexec_load kexec_file_load syslog quotactl acct setdomainname personality setuid setgid
    setreuid setregid setresuid setresgid setgroups capset inotify_init inotify_init1
    fanotify_init name_to_handle_at lookup_dcookie splice tee vmsplice migrate_pages move_pages
"""
EVENTS = """
    socket subprocess.Popen os.system os.exec os.fork os.forkpty os.posix_spawn os.kill os.killpg
    os.remove os.rename os.mkdir os.rmdir os.link os.symlink os.chmod os.chown os.truncate
    os.utime os.setxattr os.chdir shutil tempfile ctypes gc.get_objects gc.get_referrers
    gc.get_referents signal.pthread_kill
    resource.setrlimit resource.prlimit webbrowser.open ftplib http urllib smtplib sqlite3.connect
    sys.addaudithook faulthandler pty.spawn syslog mmap.__new__
"""
CLONE_THREAD = 0x10000
FCNTL = (8, 10, 15, 1026)  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_NOTIFY: signals to others
IOCTL = (0x5452, 0x8901, 0x8902, 0x5412)  # FIOASYNC, FIOSETOWN, SIOCSPGRP, TIOCSTI: likewise


def libraries():
    """Where Python and its packages lie: what a learner's code may read.

    Not this project: where a folder holds it, the folder's other entries are listed instead. Of
    its lessons, only their tables of numbers and sentences.
    """
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    ours = [ROOT, *map(Path, attn_lesson.__path__)]
    ours += [copy for path in paths if (copy := Path(path, "attn_lesson")).exists()]
    paths |= {sys.prefix, os.path.dirname(torch.__file__)}
    paths |= {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/dev/null"}
    paths |= {"/dev/urandom", "/proc/self/statm", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices"}
    paths |= {
        str(table) for folder in attn_lesson.__path__ for table in Path(folder).rglob("*.csv")
    }
    hidden = [place.resolve() for place in ours]
    found = [each for path in paths if path for each in _without(Path(path).resolve(), hidden)]
    return sorted({str(path) for path in found if path.exists()})


def _without(path, hidden):
    """The path, or where it holds something hidden, all else that is in it."""
    if path in hidden:
        return []
    if not any(path in place.parents for place in hidden):
        return [path]
    return [each for entry in path.iterdir() for each in _without(entry.resolve(), hidden)]


def walls():
    """The walls that this machine has, and what is missing: two lists of words."""
    there, missing = ["Python's audit hook"], []
    for name, available in (("Landlock", _has_landlock()), ("seccomp", seccomp is not None)):
        (there if available else missing).append(name)
    return there, missing


def _has_landlock():
    try:
        return landlock is not None and landlock.landlock_abi_version() > 0
    except OSError:  # the kernel has none
        return False


def lock_up():
    """From here on this process, its threads and its children are locked up, for good.

    Raises:
        RuntimeError: when a wall does not stand that this machine has.
    """
    readable = libraries()
    closes_files = _has_landlock()
    if closes_files:
        _close_the_files(readable)
    if seccomp is not None:
        _refuse_calls()
        _must_fail(os.sched_setaffinity, 0, os.sched_getaffinity(0))
    if closes_files:
        _must_fail(os.open, "/", os.O_RDONLY)
    _refuse_events(tuple(readable), frozenset(EVENTS.split()), sandbox.record.__code__)


def _must_fail(call, *arguments):
    try:
        call(*arguments)
    except PermissionError:
        return
    raise RuntimeError(f"{call.__name__} is not refused")


def _close_the_files(readable):
    rules, access = landlock.Ruleset(), landlock.FSAccess
    for path in readable:
        allowed = access.READ_FILE | access.EXECUTE
        allowed |= access.READ_DIR if Path(path).is_dir() else access(0)
        rules.allow(path, rules=allowed)
    rules.apply()


def _refuse_calls():
    Arg, MASKED_EQ = seccomp.Arg, seccomp.MASKED_EQ
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    no = seccomp.ERRNO(errno.EPERM)

    def refuse(name, *arguments, action=no):
        with contextlib.suppress(OSError, ValueError):  # another machine may lack a call
            rules.add_rule(action, name, *arguments)

    for name in CALLS.split():
        refuse(name)
    for bit in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND):
        refuse("open", Arg(1, MASKED_EQ, bit, bit))
        refuse("openat", Arg(2, MASKED_EQ, bit, bit))
    refuse("clone", Arg(0, MASKED_EQ, CLONE_THREAD, 0))  # threads are allowed, processes are not
    refuse("clone3", action=seccomp.ERRNO(errno.ENOSYS))  # the C library then calls clone
    refuse("prlimit64", Arg(2, seccomp.NE, 0))
    for command in FCNTL:
        refuse("fcntl", Arg(1, seccomp.EQ, command))
    for command in IOCTL:
        refuse("ioctl", Arg(1, seccomp.EQ, command))
    rules.load()


def _refuse_events(readable, events, recorder):
    null = {os.devnull, "/dev/urandom"}
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

    below = tuple(f"{path}{os.sep}" for path in readable)

    def may_read(path):
        if isinstance(path, int) or path in null:
            return True
        path = os.path.realpath(os.fsdecode(path or "."))
        return path in readable or path.startswith(below)

    def hook(event, arguments):
        if event == "open":
            path, _, flags = arguments
            if not may_read(path) or (isinstance(flags, int) and flags & writing):
                raise PermissionError("a marked function opens no files")
        elif event in ("os.listdir", "os.scandir"):
            if not may_read(arguments[0]):
                raise PermissionError("a marked function looks into no folders")
        elif event in ("sys.setprofile", "sys.settrace"):
            if sys._getframe(1).f_code is not recorder:
                raise PermissionError(f"a marked function may only compute ({event})")
        elif event in events or event.split(".")[0] in events:
            raise PermissionError(f"a marked function may only compute ({event})")

    sys.addaudithook(hook)
