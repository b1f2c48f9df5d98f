"""Who does the work of variants and of marking, and what of it was done before.

This machine's cores do it, or a Dask scheduler's workers.
"""

import contextlib
import json
import logging
import math
import os
import warnings

from distributed import Client, LocalCluster, as_completed

from tools.lessons import isolate
from tools.progress import bar


@contextlib.contextmanager
def connect(scheduler=None, workers=None):
    """A Dask client: of the scheduler at this address, or of this machine's cores."""
    isolate()
    with contextlib.ExitStack() as opened:
        if not scheduler:
            cluster = LocalCluster(
                n_workers=max(1, workers or os.cpu_count()),
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.ERROR,
            )
            scheduler = opened.enter_context(cluster)
        try:
            client = Client(scheduler, timeout=20)
        except (OSError, TimeoutError, ValueError) as error:
            raise SystemExit(f"no Dask scheduler answers at {scheduler}: {error}") from None
        yield opened.enter_context(client)


def done(client, waiting, call, doing, at_once=math.inf):
    """Yield the jobs as they end, each with how many that makes, as text, and what came of it.

    That is what a worker sent back, or the exception why nothing came: it ended one worker after
    the other, or the scheduler is gone. Whoever gets a job may let more wait.

    Args:
        client: what `connect` gives.
        waiting: a deque of jobs.
        call: gives a job's function and arguments, once it is sent.
        doing: what the bar says.
        at_once: jobs under way for each worker, at most.
    """
    warnings.filterwarnings("ignore", "Sending large graph")  # a notebook with its outputs
    started, ended = {}, as_completed()
    most = at_once * max(1, sum(client.nthreads().values()))

    def start():
        while waiting and len(started) < most:
            job = waiting.popleft()
            future = client.submit(*call(job), pure=False)
            started[future.key] = job
            ended.add(future)

    with bar(doing, len(waiting)) as shown:
        start()
        for count, future in enumerate(ended, start=1):
            job = started.pop(future.key)
            try:
                result = future.result()
            except Exception as error:
                result = error
            del future  # a worker keeps a result for as long as its future is known here
            shown.total = count + len(started) + len(waiting)
            shown.update()
            yield f"{count}/{shown.total}", job, result
            start()


class Record:
    """Results by what they are of, kept in a file to which each is added when it is there."""

    def __init__(self, path):
        self.path, self.results = path, {}
        if path.exists():
            for line in path.read_text("utf-8", "replace").splitlines():
                try:
                    entry = json.loads(line)
                    self.results[entry["key"]] = entry["result"]
                except (ValueError, KeyError, TypeError):
                    pass  # the line at which a run was interrupted

    def add(self, key, result):
        self.results[key] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps({"key": key, "result": result}))
