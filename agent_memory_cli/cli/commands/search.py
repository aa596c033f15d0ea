"""`search`: the best records of a scope for a query."""

from __future__ import annotations

from typing import Annotated

import typer

from agent_memory_cli.cli import options
from agent_memory_cli.cli.invocation import of
from agent_memory_cli.cli.result import Result
from agent_memory_cli.cli.show import hit_data, hits_table


def command(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words to look for.")],
    user: options.User = None,
    session: options.Session = None,
    agent: options.Agent = None,
    limit: Annotated[int, typer.Option("--limit", "-k", metavar="N", help="At most so many.")] = 5,
    filter_: options.Filter = None,
    filter_json: options.FilterJson = None,
    since: options.Since = None,
    until: options.Until = None,
) -> Result:
    """Find the best records of a scope, best first; an empty query lists the newest.

    Words are found by their stems, in any order. Punctuation is never search syntax. A query that
    begins with - goes after --.
    """
    scope = options.scope_of(user, session, agent)
    hits = (
        of(context)
        .memory()
        .search_sync(
            query,
            scope=scope,
            k=limit,
            filters=options.pairs(filter_, filter_json, "--filter"),
            since=options.moment(since),
            until=options.moment(until),
        )
    )
    return Result(
        data={"hits": [hit_data(hit) for hit in hits]},
        body=hits_table(hits),
        notes=() if hits else ("no match",),
    )
