"""Pydantic models of views and asks: the schema that OpenAPI shows, and the way a body or a query is read."""

import types
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from inspect import Parameter, Signature
from typing import Annotated, Any, Optional, ParamSpec, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from fastapi import Depends
from pydantic import BaseModel, BeforeValidator, Field, SecretStr, create_model, model_validator
from pydantic.fields import FieldInfo

from pabal.platform.resources import KEPT, Ask, Filter, View, find_name
from pabal.platform.resources.asks import Asked as AskedAbout
from pabal.platform.resources.asks import asked_of
from pabal.platform.resources.views import About
from pabal.platform.web.endpoints import Asked, Shown, rules
from pabal.platform.web.filters import Bare, Between, Listed, Moment, Paged, Query, Text, Word, split_commas

P = ParamSpec("P")
T = TypeVar("T")


def remember(make: Callable[P, T]) -> Callable[P, T]:
    """`functools.cache` with the types of what it remembers."""
    return cast(Callable[P, T], cache(make))


@remember
def model_of(view: type[View]) -> type[BaseModel]:
    """Named as the view is, so that two views cannot share a title."""
    hints = get_type_hints(view, include_extras=True)
    made: dict[str, Any] = {name: (_shown(hints[name]), _shown_info(about)) for name, about in view.fields.items()}
    return create_model(view.__name__, __base__=Shown, __doc__=view.__doc__, **made)


def _shown_info(about: About) -> FieldInfo:
    info: FieldInfo = Field(
        description=about.description or None, examples=_examples(about.example), alias=about.alias or None
    )
    return info


@remember
def body_of(asks: type[Ask]) -> type[BaseModel]:
    def fits(body: BaseModel) -> BaseModel:
        read_ask(asks, body).fits()
        return body

    checks: dict[str, Any] = {} if asks.fits is Ask.fits else {"fits": model_validator(mode="after")(fits)}
    return create_model(
        asks.__name__, __base__=_base(asks), __doc__=asks.__doc__, __validators__=checks, **_parameters(asks)
    )


@remember
def query_of(wanted: type[Ask], *, is_short: bool, has_period: bool, of_house: bool = False) -> type[BaseModel]:
    short = Bare if of_house else Query
    base: type[BaseModel] = short if is_short else Between if has_period else Paged if of_house else Listed
    return create_model(wanted.__name__, __base__=base, **_parameters(wanted))


def _base(asks: type[Ask]) -> type[Asked]:
    """With what must hold between fields, so that programs read it where the fields are."""
    if not asks.cases:
        return Asked

    class Ruled(Asked):
        model_config = rules({"oneOf": list(asks.cases)})

    return Ruled


def read_body(asks: type[Ask]) -> Any:
    """For endpoints that are written by hand: `asked: Annotated[EventAsk, read_body(EventAsk)]`."""

    def read(asked: Any) -> Ask:
        return read_ask(asks, asked)

    read.__signature__ = Signature([Parameter("asked", Parameter.KEYWORD_ONLY, annotation=body_of(asks))])  # type: ignore[attr-defined]  # read by inspect
    return Depends(read)


def _examples(example: Any) -> list[Any] | None:
    return None if example is ... else [example]


def read_ask(asks: type[Ask], body: BaseModel) -> Ask:
    """Only what was sent is `given`; what is left out has the ask's own default."""
    return asks.make(_given(asks, body))


def _given(asks: type[Ask], body: BaseModel) -> Mapping[str, Any]:
    names = set(asked_of(asks)) & body.model_fields_set
    hints = get_type_hints(asks)
    return {name: _value(hints[name], getattr(body, name)) for name in asked_of(asks) if name in names}


def _value(hint: Any, value: Any) -> Any:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, BaseModel):
        inner = next(one for one in (hint, *get_args(hint)) if isinstance(one, type) and issubclass(one, Ask))
        return read_ask(inner, value)
    return value


def _parameters(asks: type[Ask]) -> dict[str, Any]:
    hints = get_type_hints(asks, include_extras=True)
    return {
        name: (_asked(asks, hints[name], about), _info(asks, name, about))
        for name, about in asked_of(asks).items()
        if not about.command_only
    }


def _info(asks: type[Ask], name: str, about: AskedAbout) -> FieldInfo:
    rules = {} if about.rules is None else {key: one for key, one in vars(about.rules).items() if one is not None}
    field = asks.__dataclass_fields__[name]  # type: ignore[attr-defined]  # every subclass is a dataclass
    default = ... if _is_missing(field) else field.default_factory() if _has_factory(field) else field.default
    # what an edit leaves as it is has no default that a schema could name
    left = {"default_factory": lambda: KEPT} if default is KEPT else {"default": default}
    made: FieldInfo = Field(
        **left, description=about.help, examples=_examples(about.example), alias=about.alias or None, **rules
    )
    return made


def _is_missing(field: Any) -> bool:
    return bool(field.default is field.default_factory)


def _has_factory(field: Any) -> bool:
    return callable(field.default_factory)


def _asked(asks: type[Ask], hint: Any, about: AskedAbout) -> Any:
    if about.read:
        made = find_name(about.read)
        return Optional[made] if type(None) in get_args(hint) else made  # noqa: UP045 -- of an annotation
    if about.secret is not None:
        return Optional[SecretStr] if type(None) in get_args(hint) else SecretStr  # noqa: UP045 -- of an annotation
    plain = {str: Word if issubclass(asks, Filter) else Text, datetime: Moment}
    made = _translate(hint, lambda one: body_of(one) if _is(one, Ask) else plain.get(one, one))
    # `state=done,failed` and `state=done&state=failed` say the same, for every list
    return Annotated[made, BeforeValidator(split_commas)] if get_origin(hint) is tuple else made


def _shown(hint: Any) -> Any:
    return _translate(hint, lambda one: model_of(one) if _is(one, View) else one)


def _is(hint: Any, kind: type) -> bool:
    return isinstance(hint, type) and issubclass(hint, kind)


def _translate(hint: Any, leaf: Callable[[Any], Any]) -> Any:
    """The same type, with each class in it as `leaf` has it: a model for a view, a text with rules for str."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return Annotated[(_translate(inner[0], leaf), *inner[1:])]
    parts = tuple(_translate(one, leaf) for one in inner)
    if origin in (Union, types.UnionType):
        return Union[parts]  # noqa: UP007 -- of a tuple
    return origin[parts] if origin in (list, tuple, dict) else leaf(hint)
