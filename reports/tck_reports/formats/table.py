"""What a report is rendered to: the names of the formats, their files, and the module of each.

A writer is imported when somebody asks for it: who wants a badge does not wait for a page to be got ready.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final, cast

from tck_reports.shape import Report


@dataclass(frozen=True, slots=True)
class Format:
    """One format. Its function takes a report and returns the whole text."""

    #: What `render --format` calls it.
    name: str
    #: What it is called in a report folder.
    file: str
    what: str
    module: str
    function: str = "render"

    def render(self, report: Report) -> str:
        """Return the report in this format."""
        module = import_module(f"tck_reports.formats.{self.module}")
        return cast("Callable[[Report], str]", getattr(module, self.function))(report)


#: In the order in which they are written.
ALL: Final = (
    Format("html", "report.html", "everything, as one page for a browser", "html"),
    Format("junit", "junit.xml", "JUnit XML, for test dashboards", "junit"),
    Format("markdown", "summary.md", "Markdown, for a job summary of GitHub or GitLab", "markdown"),
    Format("earl-jsonld", "earl.jsonld", "EARL 1.0 of the W3C, as JSON-LD", "earl", "render_json_ld"),
    Format("earl-turtle", "earl.ttl", "EARL 1.0 of the W3C, as Turtle", "earl", "render_turtle"),
    Format("cucumber", "cucumber.ndjson", "Cucumber Messages, for what renders those", "cucumber"),
    Format("ctrf", "ctrf.json", "Common Test Report Format", "ctrf"),
    Format("sarif", "report.sarif", "SARIF 2.1.0, for code scanning", "sarif"),
    Format("badge", "badge.json", "the verdict for the endpoint badge of shields.io", "badge", "render_json"),
    Format("badge-svg", "badge.svg", "the verdict as an image", "badge", "render_svg"),
)
BY_NAME: Final = {one.name: one for one in ALL}
