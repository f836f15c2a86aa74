# SPDX-License-Identifier: BSD-3-Clause
"""The report that evaluation/make_report.py makes of the JSON lines of evaluation/evaluate.sh: `results` reads them, `claims` compares, `tables` and `plots` show."""
