"""Python's google-genai in Gemini."""

import base64

from google import genai
from google.genai import types

from journey import *


def client_of(key):
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=URL))


client = client_of(KEY)
stranger = client_of("sk-nobody")
WEATHER_TOOL = types.Tool(
    function_declarations=[types.FunctionDeclaration(name="weather", parameters_json_schema=CITY)]
)
# The journeys answer tool calls themselves.
TOOLS = types.GenerateContentConfig(
    tools=[WEATHER_TOOL],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)
DEEPLY = types.GenerateContentConfig(
    thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=4000)
)


def ask(model, contents, config=None):
    return client.models.generate_content(model=model, contents=contents, config=config)


def streamed(model, contents, config=None):
    return list(client.models.generate_content_stream(model=model, contents=contents, config=config))


def counts(usage):
    return [usage.prompt_token_count, usage.candidates_token_count]


def chat(model):
    answer = ask(model, GREETING)
    return [answer.text, answer.candidates[0].finish_reason.value, counts(answer.usage_metadata)]


def stream(model):
    chunks = streamed(model, GREETING)
    last = chunks[-1]
    text = "".join(chunk.text or "" for chunk in chunks)
    return [text, last.candidates[0].finish_reason.value, counts(last.usage_metadata)]


def conversation(model):
    sides = {"user": "user", "assistant": "model"}
    contents = [types.Content(role=sides[role], parts=[types.Part(text=text)]) for role, text in EARLIER]
    return ask(model, contents, types.GenerateContentConfig(system_instruction=INSTRUCTIONS)).text


def answer_of_tool(model, call, content):
    response = types.FunctionResponse(id=call.id, name=call.name, response={"output": RESULT})
    question = types.Content(role="user", parts=[types.Part(text=WEATHER)])
    result = types.Content(role="user", parts=[types.Part(function_response=response)])
    return [call.name, call.args, ask(model, [question, content, result], TOOLS).text]


def tools(model):
    asked = ask(model, WEATHER, TOOLS)
    return answer_of_tool(model, asked.function_calls[0], asked.candidates[0].content)


def streamed_tools(model):
    chunk = next(chunk for chunk in streamed(model, WEATHER, TOOLS) if chunk.function_calls)
    return answer_of_tool(model, chunk.function_calls[0], chunk.candidates[0].content)


def weather(city: str) -> str:
    """The weather of a city."""
    return RESULT if city == "Paris" else "Lost."


def own_tools(model):
    return ask(model, WEATHER, types.GenerateContentConfig(tools=[weather])).text


def images(model):
    picture = types.Part.from_bytes(data=base64.b64decode(PICTURE), mime_type="image/png")
    return ask(model, [LOOK, picture]).text


def structured(model):
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Measured)
    return ask(model, MEASURE, config).parsed.model_dump()


def thoughts(answers):
    parts = [part for answer in answers for part in answer.candidates[0].content.parts or []]
    written = lambda is_thought: "".join(part.text or "" for part in parts if bool(part.thought) == is_thought)
    return [written(True), written(False)]


def thinking(model):
    answer = ask(model, THINK, DEEPLY)
    return [*thoughts([answer]), answer.sdk_http_response.headers.get(DROPPED, "")]


def streamed_thinking(model):
    return thoughts(streamed(model, THINK, DEEPLY))


def class_of(error):
    return f"{type(error).__name__} {error.code}" if isinstance(error, genai.errors.APIError) else type(error).__name__


def refused(asker, model, text):
    try:
        return f"answered {asker.models.generate_content(model=model, contents=text).text}"
    except genai.errors.APIError as error:
        return class_of(error)


def errors(model):
    failures = [refused(client, model, refusal(status)) for status in STATUSES]
    return [refused(stranger, model, GREETING), *failures]


def broken(model):
    return named_failure(lambda: streamed(model, BREAK))


def abort(model):
    # Closed with its generator: the connection closes with the client that owns it.
    own = client_of(KEY)
    chunks = own.models.generate_content_stream(model=model, contents=ENDLESS)
    for chunk in chunks:
        if chunk.text:
            break
    chunks.close()
    own.close()
    return "left"


report(
    [
        chat,
        stream,
        conversation,
        tools,
        streamed_tools,
    own_tools,
        images,
        structured,
        thinking,
        streamed_thinking,
        errors,
        broken,
        abort,
    ],
    class_of,
)
