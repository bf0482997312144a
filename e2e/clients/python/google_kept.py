"""Python's google-genai with what Google keeps: files and cached content."""

import io
import json
import os

from google import genai
from google.genai import types

MODEL = "gemini-2.5-flash"
client = genai.Client(
    api_key=os.environ["TOLLGATE_KEY"], http_options=types.HttpOptions(base_url=os.environ["TOLLGATE_URL"])
)


def files():
    content = b"x" * 9_000_000
    made = client.files.upload(file=io.BytesIO(content), config={"mime_type": "text/plain", "display_name": "a"})
    found = client.files.get(name=made.name)
    listed = [each.name for each in client.files.list()]
    answer = client.models.generate_content(model=MODEL, contents=["What is it?", found])
    client.files.delete(name=made.name)
    return [made.size_bytes, found.state.value, listed == [made.name], answer.text, len(list(client.files.list()))]


def caches():
    config = types.CreateCachedContentConfig(contents=["A long book."], ttl="3600s")
    made = client.caches.create(model=MODEL, config=config)
    longer = client.caches.update(name=made.name, config={"ttl": "7200s"})
    use = types.GenerateContentConfig(cached_content=made.name)
    answer = client.models.generate_content(model=MODEL, contents="Who wrote it?", config=use)
    client.caches.delete(name=made.name)
    return [longer.expire_time > made.expire_time, answer.text, len(list(client.caches.list()))]


print(json.dumps([files(), caches()]))
