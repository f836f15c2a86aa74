# SPDX-License-Identifier: BSD-3-Clause
"""What bench/evaluation_report.py makes of the JSON lines of bench/evaluation.sh: `results` reads them, `claims` compares, `tables` and `plots` show."""
