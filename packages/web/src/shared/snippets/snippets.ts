import { texts, type Text } from '../../lib/i18n.ts';
import { mediaCode } from './media.ts';

/** Values of a snippet. */
export interface SnippetValues {
  /** The site's own address, without a trailing slash. */
  origin: string;
  /** The key with its `sk-`. */
  apiKey: string;
  model: string;
  /** Models that the key may use. */
  models: readonly string[];
}

export interface Snippet {
  id: string;
  /** A product's or language's own name, the same in both languages, or a word. */
  name: string | Text;
  /** '' without content. */
  code: (values: SnippetValues) => string;
}

const curl: Snippet = {
  id: 'curl',
  name: 'curl',
  code: ({ origin, apiKey, model }) => `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
};

const python: Snippet = {
  id: 'python',
  name: 'Python',
  code: ({ origin, apiKey, model }) => `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${apiKey}")

answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
};

const javascript: Snippet = {
  id: 'javascript',
  name: 'JavaScript',
  code: ({ origin, apiKey, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: '${apiKey}' });

const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
};

const anthropic: Snippet = {
  id: 'anthropic',
  name: 'Anthropic',
  code: ({ origin, apiKey, model }) => `from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key="${apiKey}")

answer = client.messages.create(
    model="${model}",
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content[0].text)`,
};

const gemini: Snippet = {
  id: 'gemini',
  name: 'Gemini',
  code: ({ origin, apiKey, model }) => `from google import genai
from google.genai import types

client = genai.Client(
    api_key="${apiKey}",
    http_options=types.HttpOptions(base_url="${origin}"),
)
answer = client.models.generate_content(model="${model}", contents="Hello")
print(answer.text)`,
};

const environment: Snippet = {
  id: 'environment',
  name: 'ENV',
  code: ({ origin, apiKey }) => `export OPENAI_BASE_URL="${origin}/v1"
export OPENAI_API_KEY="${apiKey}"

export ANTHROPIC_BASE_URL="${origin}"
export ANTHROPIC_AUTH_TOKEN="${apiKey}"

export GOOGLE_GEMINI_BASE_URL="${origin}"
export GEMINI_API_KEY="${apiKey}"`,
};

const names = texts({ media: { zh: '图像与语音', en: 'Images & sound' } });

const media: Snippet = {
  id: 'media',
  name: names.media,
  code: ({ origin, apiKey, models }) => mediaCode(origin, apiKey, models),
};

/** Sample code for common clients. */
export const snippets: readonly Snippet[] = [curl, python, javascript, anthropic, gemini, media, environment];
