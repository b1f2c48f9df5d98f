"""Tell how many learners can run a lesson at once on a machine like this one, as for a JupyterHub.

    python -m tools.crowd 01 --learners 1 4 8 16 --think 5 --cells 30

Learners use a Jupyter server that starts here: each has a kernel, and runs one cell after the other
as a browser would ask for it. After a cell they think for --think seconds, half as long or half as
long again (0: all press "Run all"). One learner alone comes first, as the measure of the others.

Memory is PSS: what a kernel has for itself, and its share of what several have in common. On a
JupyterHub each learner has a server too: add the one beside 1 learner. Core seconds are what a
learner's kernel computes; what else the machine does changes them less than the seconds of a cell.
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import random
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path

import nbformat
import psutil
from jupyter_client.jsonutil import json_default
from jupyter_client.session import Session
from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import websocket_connect

from tools.lessons import KERNEL, SECONDS_PER_CELL, lessons, plain

KEEP = 1280  # MiB: 1 GiB of memory stays free, and some for the moment until all is stopped
HEAD = "learners  MiB each  server MiB  median of cells  95 % of cells    slowest  core s each  "
HEAD += "minutes  errors"
ROW = "{0:8}  {1:8.0f}  {2:10.0f}  {3:6.2f} s x{9:5.1f}  {4:6.2f} s x{10:5.1f}  {5:5.1f} s  "
ROW += "{6:11.1f}  {7:7.1f}  {8:6}"


@contextlib.contextmanager
def jupyter(folder):
    """A Jupyter server of its own for the folder: its process, and a form for its addresses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    settings = {"ip": "127.0.0.1", "port": port, "port_retries": 0, "root_dir": folder}
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"]
    command += [f"--ServerApp.{name}={value}" for name, value in settings.items()]
    foreign = ("JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "MPLBACKEND")
    environment = {name: value for name, value in os.environ.items() if name not in foreign}
    environment |= {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_TOKEN": token}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        places = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
        environment |= {place: str(Path(own) / place) for place in places}
        log = Path(own) / "log"
        with open(log, "w") as out:  # in a session of its own, so that Ctrl-C is for us
            options = {"stdout": out, "stderr": out, "start_new_session": True}
            process = subprocess.Popen(command, env=environment, **options)
        try:
            while process.poll() is None and not answers(port):
                time.sleep(0.2)
            if process.poll() is not None:
                raise SystemExit(f"the Jupyter server did not start:\n{plain(log.read_text())}")
            yield psutil.Process(process.pid), f"127.0.0.1:{port}/api/{{}}?token={token}"
        finally:
            process.terminate()  # its kernels end with it
            try:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(20)
            finally:
                process.kill()  # kernels notice that


def answers(port):
    """Whether something listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


async def ask(address, path, method="GET", content=None):
    """Return what the server answers."""
    client = AsyncHTTPClient(force_instance=True)  # which waits for no other learner
    options = {"connect_timeout": SECONDS_PER_CELL, "request_timeout": SECONDS_PER_CELL}
    options |= {"method": method, "body": content and json.dumps(content)}
    answer = await client.fetch(f"http://{address.format(path)}", **options)
    return json.loads(answer.body or "null")


async def learn(address, number, sources, think):
    """Run the cells as one learner; return the seconds of each, and the errors."""
    chance, seconds, errors, inbox = random.Random(number), [], [], asyncio.Queue()
    wanted = {"path": f"learner-{number}.ipynb", "name": "", "type": "notebook"}
    wanted["kernel"] = {"name": KERNEL["name"]}
    try:
        session = await ask(address, "sessions", "POST", wanted)
        channels = address.format(f"kernels/{session['kernel']['id']}/channels")
        connection = await websocket_connect(
            f"ws://{channels}",
            connect_timeout=SECONDS_PER_CELL,
            on_message_callback=inbox.put_nowait,  # pings are answered also while one thinks
            max_message_size=2**28,
        )
        with contextlib.closing(connection):
            for place, source in enumerate(sources, 1):
                start = time.monotonic()
                error = await asyncio.wait_for(execute(connection, inbox, source), SECONDS_PER_CELL)
                seconds.append(time.monotonic() - start)
                errors += [f"code cell {place}: {error}"] if error else []
                await asyncio.sleep(think * chance.uniform(0.5, 1.5))
    except Exception as error:  # a kernel that died, a cell or a server that took too long
        errors.append(f"after {len(seconds)} cells: {type(error).__name__}: {error}")
    return seconds, errors


async def execute(connection, inbox, source):
    """Return the error of one cell, or None, as soon as the kernel is idle again."""
    content = {"code": source, "silent": False, "store_history": True}
    content["allow_stdin"] = True  # as JupyterLab says; it lets loss curves grow
    request, error = Session().msg("execute_request", content) | {"channel": "shell"}, None
    await connection.write_message(json.dumps(request, default=json_default))
    while (text := await inbox.get()) is not None:
        message = json.loads(text) if isinstance(text, str) else request  # bytes: of widgets
        content, state = message["content"], message["content"].get("execution_state")
        if state in ("restarting", "dead"):
            raise ConnectionError("the kernel died")
        if message["parent_header"].get("msg_id") == request["msg_id"]:
            if message["msg_type"] == "error":
                error = plain(f"{content['ename']}: {content['evalue']}")
            if state == "idle":
                return error
    raise ConnectionError("the server closed the connection")


async def crowd(process, address, count, sources, think):
    """Let so many learners run the cells at once; return a row's figures, and the errors."""
    start = time.monotonic()
    work = [asyncio.create_task(learn(address, n, sources, think)) for n in range(count)]
    left = work
    while left:
        if room() < 0:
            raise MemoryError(f"{count} learners at once were stopped")
        _, left = await asyncio.wait(work, timeout=0.2)
    minutes = (time.monotonic() - start) / 60
    seconds, errors = (sorted(chain(*x)) for x in zip(*(t.result() for t in work), strict=True))
    kernels = [p for p in process.children() if "ipykernel_launcher" in p.cmdline()]
    if not seconds or not kernels:
        raise SystemExit(f"no learner came to the end: {errors}")
    late = seconds[math.ceil(0.95 * len(seconds)) - 1]
    core = statistics.mean(sum(kernel.cpu_times()[:2]) for kernel in kernels)
    row = [statistics.mean(map(pss, kernels)), pss(process), statistics.median(seconds), late]
    names = [f"sessions/{session['id']}" for session in await ask(address, "sessions")]
    await asyncio.gather(*(ask(address, name, "DELETE") for name in names))
    return [*row, seconds[-1], core, minutes], errors


def pss(process):
    """MiB of memory of a process, with its share of what it has in common with others."""
    lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))


def room():
    """MiB of memory that may still be taken."""
    return psutil.virtual_memory().available / 2**20 - KEEP


def table(server, counts, sources, think):
    """Print a row for each number of learners, and what follows; return how often it failed."""
    failed, free, cores = 0, room(), os.cpu_count()
    print(f"{cores} cores, load before {os.getloadavg()[0]:.1f}, ", end="")
    print(f"{free + KEEP:.0f} MiB of memory free\n{HEAD}", flush=True)
    asyncio.run(crowd(*server, 1, sources, 0))  # from now on, files come from memory
    alone = row = None
    for count in counts:
        if row and count * row[0] > room():
            print(f"{count} learners at once were not tried: 1 GiB of memory must stay free")
            failed += 1
            break
        row, errors = asyncio.run(crowd(*server, count, sources, think))
        alone = alone or row
        ratios = row[2] / alone[2], row[3] / alone[3]
        print(ROW.format(count, *row, len(errors), *ratios), flush=True)
        for error in sorted(set(errors))[:3]:
            print(f"    {error}", flush=True)
        failed += len(errors)
    at_once = free / row[0], free / (row[0] + alone[1]), cores * 60 * alone[-1] / row[5]
    print(
        "Memory is enough for about {:.0f} kernels, or {:.0f} with a server each; {:.0f} learners "
        "would keep all cores busy all the time.".format(*at_once)
    )
    return failed


def main(arguments=None):
    """Print the table; return 1 if a cell failed or the memory was too small."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lesson")
    parser.add_argument("--learners", type=int, nargs="+", default=[1, 4, 8, 16], metavar="N")
    parser.add_argument("--think", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--cells", type=int, metavar="N", help="only so many, from the first on")
    options = parser.parse_args(arguments)
    paths = lessons([options.lesson])
    try:
        cells = nbformat.read(paths[0], as_version=4).cells
    except ValueError as error:
        parser.error(f"{paths[0].name} is not a notebook: {error}")
    sources = [cell.source for cell in cells if cell.cell_type == "code"][: options.cells]
    if len(paths) > 1:
        parser.error(f"'{options.lesson}' stands for {len(paths)} lessons: name one")
    if min(options.learners) < 1 or (options.cells or 1) < 1 or not sources:
        parser.error("there must be 1 or more --learners and (code) --cells")
    if not 0 <= options.think < math.inf:
        parser.error("--think must be 0 seconds or more")
    if not Path("/proc/self/smaps_rollup").exists():
        parser.error("memory is read from /proc, which only Linux has")
    print(f"{paths[0].stem}, {len(sources)} code cells, {options.think:g} s to think; ", end="")
    try:
        with jupyter(paths[0].parent) as server:
            counts = [1, *sorted({*options.learners} - {1})]
            return 1 if table(server, counts, sources, options.think) else 0
    except MemoryError as full:
        print(f"{full}: 1 GiB of memory must stay free")
        return 1


if __name__ == "__main__":
    for stopped in (signal.SIGINT, signal.SIGTERM):  # the server ends then, too
        signal.signal(stopped, lambda number, _: sys.exit(128 + number))
    sys.exit(main())
