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

from attn_teach.lesson import child


def _words(text):
    return text.split()


# None of these is needed to compute: calls of Linux, and what Python itself calls such things.
CALLS = _words("""
    socket socketpair connect bind accept accept4 sendto sendmsg fork vfork execve execveat kill
    tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd ptrace
    process_vm_readv process_vm_writev process_madvise setsid setpgid setrlimit creat unlink
    unlinkat rmdir rename renameat renameat2 mkdir mkdirat mknod mknodat link linkat symlink
    symlinkat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat truncate ftruncate
    utime utimes utimensat futimesat setxattr lsetxattr fsetxattr mount umount2 move_mount
    pivot_root chroot unshare setns bpf perf_event_open io_uring_setup openat2 open_by_handle_at
    shmget msgget semget mq_open userfaultfd keyctl add_key request_key reboot sethostname
""")
EVENTS = _words("""
    socket subprocess.Popen os.system os.exec os.fork os.forkpty os.posix_spawn os.kill os.killpg
    os.remove os.rename os.mkdir os.rmdir os.link os.symlink os.chmod os.chown os.truncate
    os.utime os.setxattr os.chdir os.putenv os.unsetenv
    shutil tempfile ctypes gc.get_objects gc.get_referrers gc.get_referents signal.pthread_kill
    resource.setrlimit resource.prlimit webbrowser.open ftplib http urllib smtplib sqlite3.connect
    code.__new__ function.__new__ sys.addaudithook faulthandler
    pty.spawn syslog mmap.__new__
""")
CLONE_THREAD = 0x10000


def libraries():
    """Where Python and its packages lie: what a learner's code may read."""
    import attn_teach.data

    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    paths |= {sys.prefix, os.path.dirname(torch.__file__), *attn_teach.data.__path__}
    paths |= {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/dev/null"}
    paths |= {"/dev/urandom", "/proc/self/statm", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices"}
    return sorted(os.path.realpath(path) for path in paths if path and os.path.exists(path))


def walls():
    """The walls that this machine has, and what is missing: two lists of words."""
    there, missing = ["Python's audit hook"], []
    for name, available in (("Landlock", _landlock), ("seccomp", _seccomp)):
        (there if available() else missing).append(name)
    return there, missing


def _landlock():
    with contextlib.suppress(Exception):  # no package, no Linux, no such kernel
        import landlock

        return landlock.landlock_abi_version() > 0
    return False


def _seccomp():
    with contextlib.suppress(Exception):  # no package, no library
        import pyseccomp

        return pyseccomp.system_arch() > 0
    return False


def lock_up():
    """From here on this process, its threads and its children are locked up, for good."""
    readable = libraries()
    if _landlock():
        _close_the_files(readable)
    if _seccomp():
        _refuse_calls()
    _refuse_events(tuple(readable), frozenset(EVENTS), child.record.__code__)


def _close_the_files(readable):
    import landlock
    from landlock import FSAccess

    rules = landlock.Ruleset()
    for path in readable:
        allowed = FSAccess.READ_FILE | FSAccess.EXECUTE
        allowed |= FSAccess.READ_DIR if Path(path).is_dir() else FSAccess(0)
        rules.allow(path, rules=allowed)
    rules.apply()


def _refuse_calls():
    import pyseccomp as seccomp
    from pyseccomp import ERRNO, MASKED_EQ, NE, Arg

    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    no = ERRNO(errno.EPERM)

    def refuse(name, *arguments, action=no):
        with contextlib.suppress(OSError, ValueError):  # another machine may lack a call
            rules.add_rule(action, name, *arguments)

    for name in CALLS:
        refuse(name)
    for bit in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND):
        refuse("open", Arg(1, MASKED_EQ, bit, bit))
        refuse("openat", Arg(2, MASKED_EQ, bit, bit))
    refuse("clone", Arg(0, MASKED_EQ, CLONE_THREAD, 0))  # threads are allowed, processes are not
    refuse("clone3", action=ERRNO(errno.ENOSYS))  # the C library then calls clone
    refuse("prlimit64", Arg(2, NE, 0))
    rules.load()


def _refuse_events(readable, events, recorder):
    null = {os.devnull, "/dev/urandom"}
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

    def may_read(path):
        if isinstance(path, int) or path in null:
            return True
        return os.path.realpath(os.fsdecode(path or ".")).startswith(readable)

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
