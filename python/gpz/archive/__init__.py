# SPDX-License-Identifier: BSD-3-Clause
"""Archives: a .gpz file for each of many trajectories, compared with its input. Needs `pip install "gpz-md[archive]"`.

    from gpz.archive import archive

    report = archive(["runs"], to="archive", eb=0.001)           # on all cores of this machine
    report = archive(["runs"], to="archive", client=client)      # on a cluster: a dask.distributed.Client

In the shell: `gpz archive runs --to archive --eb 0.001`.

The function has the name of the module, as gpz.convert.convert has, and gpz.archive is not callable: whether that name
is a function would depend on what was imported before.
"""

from gpz.archive.archiving import archive
from gpz.archive.report import Report

__all__ = ["Report", "archive"]
