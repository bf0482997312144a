"""Python's openai in Chat Completions."""

from openai import OpenAI, pydantic_function_tool

from journey import *

client = OpenAI(api_key=KEY, base_url=f"{URL}/v1", max_retries=0)
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": CITY}}]


def user(content):
    return [{"role": "user", "content": content}]


def ask(model, content, **more):
    return client.chat.completions.create(model=model, messages=user(content), **more)


def counts(usage):
    return [usage.prompt_tokens, usage.completion_tokens]


def chat(model):
    answer = ask(model, GREETING)
    return [answer.choices[0].message.content, answer.choices[0].finish_reason, counts(answer.usage)]


def stream(model):
    text, usage, reason = "", None, None
    for chunk in ask(model, GREETING, stream=True, stream_options={"include_usage": True}):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            reason = choice.finish_reason or reason
        usage = chunk.usage or usage
    return [text, reason, counts(usage)]


def conversation(model):
    turns = [("system", INSTRUCTIONS), *EARLIER]
    messages = [{"role": role, "content": content} for role, content in turns]
    return client.chat.completions.create(model=model, messages=messages).choices[0].message.content


def answer_of_tool(model, message):
    call = message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": RESULT}
    messages = [*user(WEATHER), message.model_dump(exclude_none=True), result]
    answer = client.chat.completions.create(model=model, messages=messages, tools=TOOLS)
    return [call.function.name, json.loads(call.function.arguments), answer.choices[0].message.content]


def tools(model):
    return answer_of_tool(model, ask(model, WEATHER, tools=TOOLS).choices[0].message)


def streamed_tools(model):
    with client.chat.completions.stream(model=model, messages=user(WEATHER), tools=TOOLS) as events:
        message = events.get_final_completion().choices[0].message
    message.tool_calls[0].function.parsed_arguments = None
    return answer_of_tool(model, message)


def own_tools(model):
    asked = client.chat.completions.parse(model=model, messages=user(WEATHER), tools=[pydantic_function_tool(Place, name="weather")])
    message = asked.choices[0].message
    call = message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": weather(call.function.parsed_arguments)}
    messages = [*user(WEATHER), message, result]
    return client.chat.completions.create(model=model, messages=messages, tools=TOOLS).choices[0].message.content


def images(model):
    url = f"data:image/png;base64,{PICTURE}"
    content = [{"type": "text", "text": LOOK}, {"type": "image_url", "image_url": {"url": url}}]
    return ask(model, content).choices[0].message.content


def structured(model):
    answer = client.chat.completions.parse(model=model, messages=user(MEASURE), response_format=Measured)
    return answer.choices[0].message.parsed.model_dump()


def thinking(model):
    create = client.chat.completions.with_raw_response.create
    raw = create(model=model, messages=user(THINK), reasoning_effort="high")
    message = raw.parse().choices[0].message
    return [message.model_extra.get("reasoning_content") or "", message.content, raw.headers.get(DROPPED, "")]


def streamed_thinking(model):
    thought, text = "", ""
    for chunk in ask(model, THINK, reasoning_effort="high", stream=True):
        for choice in chunk.choices:
            thought += (choice.delta.model_extra or {}).get("reasoning_content") or ""
            text += choice.delta.content or ""
    return [thought, text]


def errors(model):
    stranger = client.with_options(api_key="sk-nobody")
    failures = [named_failure(lambda: ask(model, refusal(status))) for status in STATUSES]
    greet = lambda: stranger.chat.completions.create(model=model, messages=user(GREETING))
    return [named_failure(greet), *failures]


def broken(model):
    return named_failure(lambda: list(ask(model, BREAK, stream=True)))


def abort(model):
    with ask(model, ENDLESS, stream=True) as events:
        for chunk in events:
            if chunk.choices and chunk.choices[0].delta.content:
                return "left"


report([chat, stream, conversation, tools, streamed_tools, own_tools, images, structured, thinking, streamed_thinking, errors, broken, abort])
