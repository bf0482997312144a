"""Shared parts of all clients' journeys: the questions, the models and the report."""

import json
import os
import sys
import traceback
from typing import Any, Callable

from pydantic import BaseModel

URL = os.environ["TOLLGATE_URL"]
KEY = os.environ["TOLLGATE_KEY"]
MODELS: dict[str, str] = json.loads(os.environ["TOLLGATE_MODELS"])
PICTURE: str = os.environ["TOLLGATE_PICTURE"]

# The model behind the gateway selects its behaviour by these words.
GREETING = "Please greet me."
WEATHER = "What is the weather in Paris?"
LOOK = "What do you see?"
MEASURE = "Please measure Paris."
THINK = "Please think first."
BREAK = "Please break off."
ENDLESS = "Please never end."
# A conversation that some vendors only accept in their own order: its last two turns are the user's.
INSTRUCTIONS = "Be kind."
EARLIER = (("user", "Hello."), ("assistant", "Hello to you."), ("user", "One thing more:"), ("user", GREETING))
DROPPED = "x-tollgate-dropped"

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
RESULT = "18 degrees"
STATUSES = (400, 404, 429, 500)


def refusal(status: int) -> str:
    return f"Please refuse with {status}."


class Measured(BaseModel):
    city: str
    celsius: int


class Place(BaseModel):
    city: str


def weather(place: Any) -> str:
    """The tool's result, for arguments that the client has read."""
    return RESULT if (place["city"] if isinstance(place, dict) else place.city) == "Paris" else "Lost."


def named_failure(ask: Callable[[], Any]) -> str:
    """Class name of the error of a call, or its answer."""
    try:
        return f"answered {ask()}"
    except Exception as error:
        return type(error).__name__


def report(journeys: list[Callable[[str], Any]], class_of=lambda error: type(error).__name__) -> None:
    """Runs every journey against every upstream and prints the results as JSON."""
    results: dict[str, dict[str, Any]] = {}
    for upstream, model in MODELS.items():
        results[upstream] = {}
        for journey in journeys:
            try:
                results[upstream][journey.__name__] = journey(model)
            except Exception as error:
                told = {"raised": class_of(error), "words": str(error), "trace": traceback.format_exc(limit=-3)}
                results[upstream][journey.__name__] = told
    json.dump(results, sys.stdout)
