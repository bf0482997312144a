"""Batches of the official clients, from the first file to the last result."""

import io
import json
import os
import time

import anthropic
import openai
from google import genai

site, key = os.environ["SITE"], os.environ["KEY"]
question = [{"role": "user", "content": "Hello"}]


def until(read, is_over):
    for _ in range(300):
        found = read()
        if is_over(found):
            return found
        time.sleep(0.2)
    raise TimeoutError


def of_openai():
    client = openai.OpenAI(base_url=f"{site}/v1", api_key=key, max_retries=0)
    body = {"model": "gpt-4o-mini", "max_tokens": 9, "messages": question}
    endpoint = "/v1/chat/completions"
    lines = [{"custom_id": name, "method": "POST", "url": endpoint, "body": body} for name in "ab"]
    text = "\n".join(json.dumps(line) for line in lines)
    file = client.files.create(file=("calls.jsonl", io.BytesIO(text.encode())), purpose="batch")
    made = client.batches.create(input_file_id=file.id, endpoint=endpoint, completion_window="24h")
    ended = until(lambda: client.batches.retrieve(made.id), lambda batch: batch.status == "completed")
    content = client.files.content(ended.output_file_id).text
    return [[json.loads(line)["custom_id"] for line in content.splitlines()], client.batches.list().data[0].id == made.id]


def of_anthropic():
    client = anthropic.Anthropic(base_url=site, api_key=key, max_retries=0)
    params = {"model": "claude", "max_tokens": 9, "messages": question}
    made = client.messages.batches.create(requests=[{"custom_id": name, "params": params} for name in "ab"])
    until(lambda: client.messages.batches.retrieve(made.id), lambda batch: batch.processing_status == "ended")
    results = [[line.custom_id, line.result.type] for line in client.messages.batches.results(made.id)]
    return [results, client.messages.batches.delete(made.id).id == made.id]


def of_google():
    client = genai.Client(api_key=key, http_options={"base_url": site})
    requests = [{"contents": "Hello", "metadata": {"key": name}} for name in "ab"]
    made = client.batches.create(model="gemini-2.5-flash", src=requests, config={"display_name": "night"})
    ended = until(lambda: client.batches.get(name=made.name), lambda batch: batch.state.name == "JOB_STATE_SUCCEEDED")
    results = [[each.metadata["key"], each.response.text] for each in ended.dest.inlined_responses]
    listed = [batch.name == made.name for batch in client.batches.list()]
    client.batches.delete(name=made.name)
    return [results, listed, [batch.name for batch in client.batches.list()], of_google_file(client)]


def of_google_file(client):
    request = {"contents": [{"parts": [{"text": "Hello"}]}]}
    text = "\n".join(json.dumps({"key": name, "request": request}) for name in "ab")
    file = client.files.upload(file=io.BytesIO(text.encode()), config={"mime_type": "jsonl", "display_name": "calls"})
    made = client.batches.create(model="gemini-2.5-flash", src=file.name)
    ended = until(lambda: client.batches.get(name=made.name), lambda batch: batch.state.name == "JOB_STATE_SUCCEEDED")
    lines = client.files.download(file=ended.dest.file_name).decode().splitlines()
    client.files.delete(name=file.name)
    return sorted(json.loads(line)["key"] for line in lines)


print(json.dumps({"openai": of_openai(), "anthropic": of_anthropic(), "google": of_google()}))
