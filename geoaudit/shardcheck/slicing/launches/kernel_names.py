"""What a launched kernel is called."""

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.walking import within
from geoaudit.shardcheck.slicing.functions import IndexedFunction
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Either,
    Items,
    Record,
    Reference,
    Value,
    used,
)

MOST_KERNELS = 3


def kernel_name(value: Value) -> str:
    """The kernel of a launch by name; several joined, an expression as written."""
    match value:
        case Closure(functions=functions):
            found = list(dict.fromkeys(one.function.name for one in functions))
            return " | ".join(found[:MOST_KERNELS]) or "?"
        case Either(options=options):
            names = list(dict.fromkeys(kernel_name(one) for _, one in used(options)))
            return " | ".join(names[:MOST_KERNELS])
        case Reference(text=text):
            return text.rpartition("::")[2].rpartition(".")[2] or text
        case Record(rest=Reference(text=text)):
            return text
        case Items(values=(one, *_)):
            return kernel_name(one)
        case _:
            return ""


def name_in_text(function: IndexedFunction, node: e.Expression) -> str:
    """The kernel's name in the text that its variable is made from: ``module.get("decay")``."""
    declared = function.declarations.get(node.text) if isinstance(node, e.Name) else None
    if declared is None or not isinstance(declared.value, e.Call):
        return ""
    for one in within(declared.value):
        if isinstance(one, e.Text) and one.value.isidentifier():
            return one.value
    return ""
