"""Who does the work; what workers do with it is tested by test_variants.py and test_marking.py."""

import pytest

from classroom import workers

pytestmark = pytest.mark.long


def test_no_scheduler_is_said_clearly(monkeypatch):
    monkeypatch.setattr(workers, "Client", lambda *_, **__: (_ for _ in ()).throw(OSError("no")))
    with (
        pytest.raises(SystemExit, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"),
        workers.connect("tcp://127.0.0.1:1"),
    ):
        pass
