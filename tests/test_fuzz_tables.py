"""A short run of the fuzzer of tables, and every single bit of a file that killed the process."""

import io

import numpy as np
import pyarrow as pa
import pytest
from fuzz import tables
from fuzz.harness import run
from pyarrow import feather


def test_fuzz_tables():
    campaign = run(tables.case, cases=150)
    assert campaign.failures == []
    assert campaign.outcomes.keys() == {"refused", "used"}


@pytest.mark.parametrize("kind", tables.KINDS)
def test_files_that_are_not_damaged_are_read(kind, tmp_path):
    path = tmp_path / f"a{tables.KINDS[kind][0]}"
    path.write_bytes(tables.good(kind))
    for seed in range(3):
        tables.read(path, np.random.default_rng(seed))


def test_flipped_bits_of_a_feather_file(tmp_path):
    """Each gives examples, or an error that names the file."""
    sink = io.BytesIO()
    table = pa.table({"y": [1.0, 2.0, 3.0], "a": ["red", "green", None], "b": [1.0, 2.0, 3.0]})
    feather.write_feather(table, sink, compression="uncompressed")
    path, data = tmp_path / "a.feather", sink.getvalue()

    def case(rng):
        spoilt = bytearray(data)
        spoilt[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(spoilt)
        try:
            tables.read(path, rng)
        except ValueError as error:
            if str(path) in str(error):
                return "refused"
            raise
        return "used"

    campaign = run(case, cases=400)
    assert campaign.failures == []
    assert campaign.outcomes.keys() == {"refused", "used"}
