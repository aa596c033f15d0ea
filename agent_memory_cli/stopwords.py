"""English words that carry no meaning in a question; dropped from a query that has others."""

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both
    but by can could d did do does doing don down during each few for from further had has have
    having he her here hers herself him himself his how i if in into is it its itself just ll m me
    might more most must my myself no nor not now of off on once only or other our ours ourselves
    out over own re s same shall she should so some such t than that the their theirs them
    themselves then there these they this those through to too under until up ve very was we were
    what when where which while who whom whose why will with would you your yours yourself
    yourselves
    """.split()  # noqa: SIM905 (words are easier to read than a list of strings)
)
