"""Python's openai in Responses."""

from openai import OpenAI, pydantic_function_tool

from journey import *

client = OpenAI(api_key=KEY, base_url=f"{URL}/v1", max_retries=0)
TOOLS = [{"type": "function", "name": "weather", "parameters": CITY, "strict": False}]


def user(content):
    return [{"role": "user", "content": content}]


def ask(model, content, **more):
    return client.responses.create(model=model, input=user(content), **more)


def told(answer):
    return [answer.output_text, answer.status, [answer.usage.input_tokens, answer.usage.output_tokens]]


def streamed(model, content, **more):
    with client.responses.stream(model=model, input=user(content), **more) as events:
        return events.get_final_response()


def thoughts(answer):
    items = [item for item in answer.output if item.type == "reasoning"]
    parts = [part.text for item in items for part in [*item.summary, *(item.content or [])]]
    return ["".join(parts), answer.output_text]


def chat(model):
    return told(ask(model, GREETING))


def stream(model):
    return told(streamed(model, GREETING))


def conversation(model):
    turns = [{"role": role, "content": content} for role, content in EARLIER]
    return client.responses.create(model=model, instructions=INSTRUCTIONS, input=turns).output_text


def answer_of_tool(model, asked):
    call = next(item for item in asked.output if item.type == "function_call")
    again = {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments}
    result = {"type": "function_call_output", "call_id": call.call_id, "output": RESULT}
    answer = client.responses.create(model=model, input=[*user(WEATHER), again, result], tools=TOOLS)
    return [call.name, json.loads(call.arguments), answer.output_text]


def tools(model):
    return answer_of_tool(model, ask(model, WEATHER, tools=TOOLS))


def streamed_tools(model):
    return answer_of_tool(model, streamed(model, WEATHER, tools=TOOLS))


def own_tools(model):
    tool = {**pydantic_function_tool(Place, name="weather")["function"], "type": "function"}
    asked = client.responses.parse(model=model, input=user(WEATHER), tools=[tool])
    call = next(item for item in asked.output if item.type == "function_call")
    result = {"type": "function_call_output", "call_id": call.call_id, "output": weather(call.parsed_arguments)}
    turns = [*user(WEATHER), *asked.output, result]
    return client.responses.create(model=model, input=turns, tools=TOOLS).output_text


def images(model):
    url = f"data:image/png;base64,{PICTURE}"
    content = [{"type": "input_text", "text": LOOK}, {"type": "input_image", "image_url": url, "detail": "auto"}]
    return ask(model, content).output_text


def structured(model):
    return client.responses.parse(model=model, input=user(MEASURE), text_format=Measured).output_parsed.model_dump()


def thinking(model):
    reasoning = {"effort": "high", "summary": "auto"}
    raw = client.responses.with_raw_response.create(model=model, input=user(THINK), reasoning=reasoning)
    return [*thoughts(raw.parse()), raw.headers.get(DROPPED, "")]


def streamed_thinking(model):
    return thoughts(streamed(model, THINK, reasoning={"effort": "high", "summary": "auto"}))


def errors(model):
    stranger = client.with_options(api_key="sk-nobody")
    failures = [named_failure(lambda: ask(model, refusal(status))) for status in STATUSES]
    return [named_failure(lambda: stranger.responses.create(model=model, input=GREETING)), *failures]


def broken(model):
    return named_failure(lambda: streamed(model, BREAK))


def abort(model):
    with ask(model, ENDLESS, stream=True) as events:
        for event in events:
            if event.type == "response.output_text.delta":
                return "left"


report([chat, stream, conversation, tools, streamed_tools, own_tools, images, structured, thinking, streamed_thinking, errors, broken, abort])
