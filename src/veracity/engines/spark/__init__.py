"""The same work on a Spark cluster: blocks of items on its executors, SQL for the relational steps.

`veracity.engines.base` says what an engine is; here it is Spark. The driver holds parameters and
sums, never claims.
"""
