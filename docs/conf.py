"""The site, for Sphinx: `make docs` builds it in build/site. It needs no network, and its pages load nothing from elsewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Signatures are read from the sources: compiled functions have none.
os.environ["GOSCHED_PURE"] = "1"
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent / "src")]

import gosched  # noqa: E402

project = "gosched"
version = release = gosched.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "pages", "docstrings", "commands"]
exclude_patterns = ["_extensions"]

# ---- text ----

myst_heading_anchors = 3
highlight_language = "text"
default_role = "py:obj"
smartquotes_action = "D"  # dashes: quotes are meant as they stand

# ---- the reference ----

add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_display_short_literal_types = True
maximum_signature_line_length = 110
toc_object_entries_show_parents = "hide"

# ---- pages ----

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = "gosched"
html_static_path = ["_static"]
html_css_files = ["gosched.css"]
html_favicon = "_static/favicon.svg"
html_theme_options = {"light_logo": "logo.svg", "dark_logo": "logo-dark.svg", "sidebar_hide_name": True, "top_of_page_buttons": []}
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
