"""Outcomes, verdicts and reports: what a run gave, judged once, and written in every format from one canonical report.

Theory of operation. A run yields `CheckRecord`s (`records`). `grading.grade` joins them with the frozen set of
requirements and gives every requirement one outcome (`outcomes`); `verdict.conclude` alone turns those into a verdict
per profile and an exit code. `report.build` puts everything into one plain value, the content of `report.json`, and
each writer (`terminal`, and those that `formats` names) renders from that value and nothing else, so that no two of
them can disagree. `files.write_all` puts them on disk.
"""
