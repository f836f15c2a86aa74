# SPDX-License-Identifier: BSD-3-Clause
"""Records streams of simulation engines (IMD, version 3) in .gpz files. Needs `pip install "gpz-md[record]"`.

    import gpz.imd

    report = gpz.imd.record("imd://localhost:8888", "traj.gpz", bound=0.005)

In the shell: `gpz record imd://localhost:8888 traj.gpz --eb 0.005`.
"""

from gpz.imd.recording import Recorder, Report, record

__all__ = ["Recorder", "Report", "record"]
