"""Who does the work of variants and of marking: this machine's cores, or a scheduler's workers."""

import contextlib
import logging
import os

from distributed import Client, LocalCluster

from tools.lessons import isolate


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
