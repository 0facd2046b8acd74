"""What a rule's script imports: `@rule("name")` and the context its function is given. Needs nothing but Python."""

from pabal_rules.context import Context, SourceFailed
from pabal_rules.registry import RuleMistake, rule

__all__ = ["Context", "RuleMistake", "SourceFailed", "rule"]
