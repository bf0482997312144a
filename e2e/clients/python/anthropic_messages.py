"""Python's anthropic in Messages."""

from anthropic import Anthropic, beta_tool

from journey import *

client = Anthropic(api_key=KEY, base_url=URL, max_retries=0)
TOOLS = [{"name": "weather", "input_schema": CITY}]
DEEPLY = {"max_tokens": 8000, "thinking": {"type": "enabled", "budget_tokens": 4000}}


def request(model, content, **more):
    return {"model": model, "max_tokens": 1000, "messages": [{"role": "user", "content": content}], **more}


def ask(model, content, **more):
    return client.messages.create(**request(model, content, **more))


def streamed(model, content, **more):
    with client.messages.stream(**request(model, content, **more)) as events:
        return events.get_final_message()


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def told(message):
    return [text_of(message), message.stop_reason, [message.usage.input_tokens, message.usage.output_tokens]]


def chat(model):
    return told(ask(model, GREETING))


def stream(model):
    return told(streamed(model, GREETING))


def conversation(model):
    messages = [{"role": role, "content": content} for role, content in EARLIER]
    return text_of(client.messages.create(model=model, max_tokens=1000, system=INSTRUCTIONS, messages=messages))


def answer_of_tool(model, asked):
    call = next(block for block in asked.content if block.type == "tool_use")
    again = {"role": "assistant", "content": [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": RESULT}]}
    messages = [{"role": "user", "content": WEATHER}, again, result]
    answer = client.messages.create(model=model, max_tokens=1000, messages=messages, tools=TOOLS)
    return [call.name, call.input, text_of(answer)]


def tools(model):
    return answer_of_tool(model, ask(model, WEATHER, tools=TOOLS))


def streamed_tools(model):
    return answer_of_tool(model, streamed(model, WEATHER, tools=TOOLS))


@beta_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return RESULT if city == "Paris" else "Lost."


def own_tools(model):
    return text_of(client.beta.messages.tool_runner(**request(model, WEATHER, tools=[weather])).until_done())


def images(model):
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    return text_of(ask(model, [{"type": "text", "text": LOOK}, {"type": "image", "source": source}]))


def structured(model):
    return client.messages.parse(**request(model, MEASURE, output_format=Measured)).parsed_output.model_dump()


def thoughts(message):
    return ["".join(block.thinking for block in message.content if block.type == "thinking"), text_of(message)]


def thinking(model):
    raw = client.messages.with_raw_response.create(**request(model, THINK, **DEEPLY))
    return [*thoughts(raw.parse()), raw.headers.get(DROPPED, "")]


def streamed_thinking(model):
    return thoughts(streamed(model, THINK, **DEEPLY))


def errors(model):
    stranger = client.with_options(api_key="sk-nobody")
    failures = [named_failure(lambda: ask(model, refusal(status))) for status in STATUSES]
    return [named_failure(lambda: stranger.messages.create(**request(model, GREETING))), *failures]


def broken(model):
    return named_failure(lambda: streamed(model, BREAK))


def abort(model):
    with client.messages.stream(**request(model, ENDLESS)) as events:
        for _ in events.text_stream:
            return "left"


report([chat, stream, conversation, tools, streamed_tools, own_tools, images, structured, thinking, streamed_thinking, errors, broken, abort])
