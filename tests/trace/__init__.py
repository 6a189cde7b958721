"""Traces: the readers."""  # noqa: A005 (no module is named so: a package of tests)
