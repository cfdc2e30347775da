"""The report of a run: charts, and one page that opens offline."""
