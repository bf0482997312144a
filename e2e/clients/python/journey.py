"""What the journeys of all clients share: the questions, the models before which they are asked, and the report."""

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

# The model behind the gateway knows what to do by these words.
GREETING = "Please greet me."
WEATHER = "What is the weather in Paris?"
LOOK = "What do you see?"
MEASURE = "Please measure Paris."
THINK = "Please think first."
BREAK = "Please break off."
ENDLESS = "Please never end."

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
RESULT = "18 degrees"
STATUSES = (400, 404, 429, 500)


def refusal(status: int) -> str:
    return f"Please refuse with {status}."


class Measured(BaseModel):
    city: str
    celsius: int


def named_failure(ask: Callable[[], Any]) -> str:
    """The class of what a call raises, or what it answered."""
    try:
        return f"answered {ask()}"
    except Exception as error:
        return type(error).__name__


def report(journeys: list[Callable[[str], Any]]) -> None:
    """Walks every journey before every upstream and prints what came of each as JSON."""
    results: dict[str, dict[str, Any]] = {}
    for upstream, model in MODELS.items():
        results[upstream] = {}
        for journey in journeys:
            try:
                results[upstream][journey.__name__] = journey(model)
            except Exception:
                results[upstream][journey.__name__] = traceback.format_exc(limit=-3)
    json.dump(results, sys.stdout)
