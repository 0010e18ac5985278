"""``switch`` as a chain of comparisons."""

from collections.abc import Sequence

from geoaudit.shardcheck.c_family.returns import breaks, once
from geoaudit.shardcheck.program.expressions import Expression, Opaque, Operation
from geoaudit.shardcheck.program.statements import Branch, Return, Statement, Stop

Case = tuple[Expression | None, list[Statement], int]


# A longer chain would nest too deep: its branches then stand side by side.
LONGEST_CHAIN = 100


def stops_flow(statements: Sequence[Statement]) -> bool:
    """Whether the last statement leaves: what follows is not reached from it."""
    return bool(statements) and _leaves(statements[-1])


def _leaves(statement: Statement) -> bool:
    if isinstance(statement, Branch):
        return stops_flow(statement.then) and stops_flow(statement.otherwise)
    return isinstance(statement, Return | Stop)


def chain_of_cases(subject: Expression, cases: Sequence[Case]) -> list[Statement]:
    """Branches for cases in order, each a value (None: ``default``), statements and a line.

    Cases that fall through form one branch with those they fall into, in which the statements of
    a case are guarded by its own values where not all values come there.
    """
    groups: list[list[Case]] = [[]]
    for case in cases:
        groups[-1].append(case)
        if stops_flow(case[1]):
            groups.append([])
    groups = [group for group in groups if group]
    groups.sort(key=lambda group: any(value is None for value, _, _ in group))
    if len(groups) > LONGEST_CHAIN:
        return [branch for group in groups for branch in _alone(subject, group)]
    chain: tuple[Statement, ...] = ()
    for group in reversed(groups):
        body = tuple(_group_body(subject, group))
        if any(value is None for value, _, _ in group):
            chain = body
        else:
            chain = (Branch(_any_of(subject, group), body, chain, group[0][2]),)
    return once(chain) if breaks(chain) else list(chain)


def _alone(subject: Expression, group: list[Case]) -> list[Statement]:
    body = tuple(_group_body(subject, group))
    return once([Branch(_any_of(subject, group), body, (), group[0][2])])


def _any_of(subject: Expression, cases: Sequence[Case]) -> Expression:
    if len(cases) > LONGEST_CHAIN:
        return Opaque("case")
    condition: Expression | None = None
    for value, _, _ in cases:
        if value is None or isinstance(value, Opaque):
            is_value: Expression = value or Opaque("default")
        else:
            is_value = Operation("==", (subject, value))
        condition = is_value if condition is None else Operation("||", (condition, is_value))
    return condition or Opaque("case")


def _group_body(subject: Expression, group: list[Case]) -> list[Statement]:
    body: list[Statement] = []
    for index, (_, statements, line) in enumerate(group):
        kept = statements
        if kept and isinstance(kept[-1], Stop) and not kept[-1].leaves_function:
            kept = kept[:-1]
        if index == len(group) - 1:
            body += kept
        elif kept:
            body.append(Branch(_any_of(subject, group[: index + 1]), tuple(kept), (), line))
    return body
