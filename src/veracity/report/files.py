"""The files of a report: its page, and every chart of it as a specification."""

from __future__ import annotations

import json
from pathlib import Path

from veracity.data.output.atomic import write_whole
from veracity.data.output.write import CHARTS_FOLDER, REPORT_FILE
from veracity.report.contents import contents_of
from veracity.report.page import page_of
from veracity.report.subject import Subject

#: Name and title of each chart; by this file a folder of charts is known.
INDEX = "index.json"


class Report:
    """The report of a run, made in memory and ready to be written.

    Nothing is written before all of it is made, so that what fails leaves earlier files alone.
    """

    def __init__(self, subject: Subject) -> None:
        contents = contents_of(subject)
        self.page = page_of(contents)
        self.charts = {chart.name: chart.to_json() for chart in contents.charts}
        titles = {chart.name: chart.title for chart in contents.charts}
        self.index = json.dumps(titles, indent=2, ensure_ascii=False)

    def write_page(self, path: Path) -> None:
        """Write the page alone, whole or not at all."""
        write_whole(path, self.page)

    def write(self, folder: Path) -> None:
        """Write page and charts into a folder that has none."""
        charts = folder / CHARTS_FOLDER
        charts.mkdir()
        (charts / INDEX).write_text(self.index + "\n", encoding="utf-8")
        for name, text in self.charts.items():
            (charts / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        (folder / REPORT_FILE).write_text(self.page, encoding="utf-8")
