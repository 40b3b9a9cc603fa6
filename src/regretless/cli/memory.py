"""How much memory the process has needed."""

import sys
from pathlib import Path


def peak_rss_mb() -> float | None:
    """The largest resident size so far in MB of 10^6 bytes; None where the system does not tell.

    >>> peak_rss_mb() > 1
    True
    """
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count what the parent had needed before it started us
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
