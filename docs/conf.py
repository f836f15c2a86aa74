# SPDX-License-Identifier: BSD-3-Clause
"""The documentation site: scripts/docs.sh builds it. GPZ_DOXYGEN_OUT has Doxygen's XML."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "docs" / "site"), str(ROOT / "python")]

project = "gpz"
author = "The gpz authors"
project_copyright = "2026, the gpz authors"
version = release = re.search(r"project\(gpz VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)

extensions = ["myst_parser", "breathe", "lammps", "sphinx.ext.autodoc", "docstrings"]
root_doc = "index"
exclude_patterns = ["files"]
default_role = "code"
language = "en"
smartquotes = False  # they would make a dash of the two of an option
toc_object_entries = False
highlight_language = "text"
primary_domain = None
# GitHub's anchors of headings.
myst_heading_anchors = 4

breathe_projects = {"gpz": os.path.join(os.environ["GPZ_DOXYGEN_OUT"], "xml")}
breathe_default_project = "gpz"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_enumvalue_initializer = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"npt.DTypeLike": "DTypeLike", "npt.ArrayLike": "ArrayLike"}
# The pages need the docstrings, not the extension, and not what gpz.archive and gpz.imd need.
autodoc_mock_imports = ["gpz._core", "imdclient", "xxhash"]

html_theme = "furo"
html_title = f"gpz {version}"
html_static_path = [str(ROOT / "docs" / "site" / "static")]
html_css_files = ["gpz.css"]
html_show_sourcelink = False
html_math_renderer = "text"
html_copy_source = False
