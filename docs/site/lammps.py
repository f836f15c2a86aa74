# SPDX-License-Identifier: BSD-3-Clause
"""What pages for LAMMPS's manual need in another one: links to it, its highlighting, formulas without a script."""

import re

from docutils import nodes
from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, String, Text
from sphinx.application import Sphinx

MANUAL = "https://docs.lammps.org"


class Input(RegexLexer):
    """Input scripts of LAMMPS: commands, comments, variables."""

    name = "LAMMPS"
    tokens = {
        "root": [
            (r"#.*", Comment),
            (r'"[^"\n]*"', String),
            (r"\$\{?\w+\}?|\bv_\w+", Name.Variable),
            (r"^(\s*)([a-z]\w*)", bygroups(Text, Keyword)),
            (r"\s+|\w+|.", Text),
        ]
    }


def manual_page(app, env, node, contnode):
    """A page that this site does not have, in a document for LAMMPS, is one of LAMMPS's manual."""
    if node.get("reftype") != "doc" or not node.get("refdoc", "").startswith("lammps/"):
        return None
    page = node["reftarget"].rpartition("/")[2]
    return nodes.reference("", "", contnode, internal=False, refuri=f"{MANUAL}/{page}.html")


def visit_formula(translator, node):
    """Sub- and superscripts and a few signs are all that the formulas of these pages have."""
    html = translator.encode(node.astext()).replace(r"\leq", "&le;").replace(r"\cdot", "&middot;")
    html = re.sub(r"\^(?:\{([^}]*)\}|(\w))", r"<sup>\1\2</sup>", html)
    html = re.sub(r"_(?:\{([^}]*)\}|(\w))", r"<sub>\1\2</sub>", html)
    if "\\" in html:
        raise ValueError(f"docs/site/lammps.py does not know a sign of the formula {node.astext()}")
    translator.body.append(f'<span class="math">{html}</span>')
    raise nodes.SkipNode


def setup(app: Sphinx):
    app.add_lexer("LAMMPS", Input)
    app.connect("missing-reference", manual_page)
    app.add_html_math_renderer("text", inline_renderers=(visit_formula, None), block_renderers=(visit_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
