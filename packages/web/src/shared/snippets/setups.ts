// How programs are set up with the site's address and a key. One table for the console, for docs/use-it-with.md, and for the
// coding agents of the tests. It imports nothing, because all three read it.

/** Values of a setup. */
export interface SetupValues {
  /** The site's own address, without a trailing slash. */
  origin: string;
  /** The key with its `sk-`. */
  apiKey: string;
  model: string;
}

/** Protocols of callers. */
export type Protocol = 'chat' | 'Responses' | 'Messages' | 'Gemini';

/** One part of a setup: where it goes, and its exact text. */
export type SetupPart =
  /** Environment variables. */
  | { kind: 'env'; values: Readonly<Record<string, string>> }
  /** A file; `~` is the home folder. */
  | { kind: 'file'; path: string; text: string }
  /** A command to run once, or the one that starts the program. */
  | { kind: 'command'; text: string }
  /** Fields of the program's settings, by their labels there. */
  | { kind: 'fields'; values: Readonly<Record<string, string>> }
  /** A program's own text. */
  | { kind: 'code'; language: 'python' | 'javascript'; text: string };

export interface Setup {
  id: string;
  /** The program's own name, the same in both languages. */
  name: string;
  kind: 'agent' | 'application' | 'library';
  /** What to do beside the parts. */
  note?: { zh: string; en: string };
  /** Protocols that it can use, the best first. */
  protocols: readonly Protocol[];
  /** `protocol` is the first of them unless it is given. */
  parts: (values: SetupValues, protocol?: Protocol) => SetupPart[];
}

const all: readonly Protocol[] = ['chat', 'Responses', 'Messages', 'Gemini'];
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The package of the AI SDK with which opencode speaks a protocol. */
const ofOpencode: Readonly<Record<Protocol, string>> = {
  chat: '@ai-sdk/openai-compatible',
  Responses: '@ai-sdk/openai',
  Messages: '@ai-sdk/anthropic',
  Gemini: '@ai-sdk/google',
};

/** The names of pi for the protocols, and the paths before theirs. */
const ofPi: Readonly<Record<Protocol, readonly [api: string, path: string]>> = {
  chat: ['openai-completions', '/v1'],
  Responses: ['openai-responses', '/v1'],
  Messages: ['anthropic-messages', ''],
  Gemini: ['google-generative-ai', '/v1beta'],
};

/** The names of Qwen Code for the protocols, and its variables. */
const ofQwen: Readonly<Record<Protocol, readonly [type: string, variables: string, path: string]>> = {
  chat: ['openai', 'OPENAI', '/v1'],
  Responses: ['openai-responses', 'OPENAI', '/v1'],
  Messages: ['anthropic', 'ANTHROPIC', ''],
  Gemini: ['gemini', 'GEMINI', ''],
};

const agents: readonly Setup[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    kind: 'agent',
    protocols: ['Messages'],
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'env',
        values: {
          ANTHROPIC_BASE_URL: origin,
          ANTHROPIC_AUTH_TOKEN: apiKey,
          ANTHROPIC_MODEL: model,
          ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        },
      },
      { kind: 'command', text: 'claude' },
    ],
  },
  {
    id: 'codex',
    name: 'Codex',
    kind: 'agent',
    protocols: ['Responses'],
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'file',
        path: '~/.codex/config.toml',
        text:
          `model = "${model}"\nmodel_provider = "gateway"\n\n[model_providers.gateway]\nname = "Gateway"\n` +
          `base_url = "${origin}/v1"\nenv_key = "GATEWAY_KEY"\nwire_api = "responses"\n`,
      },
      { kind: 'env', values: { GATEWAY_KEY: apiKey } },
      { kind: 'command', text: 'codex' },
    ],
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    kind: 'agent',
    protocols: ['Gemini'],
    note: {
      zh: '首次启动时选择 “Use Gemini API Key”。',
      en: 'At the first start choose “Use Gemini API Key”.',
    },
    parts: ({ origin, apiKey, model }) => [
      { kind: 'env', values: { GOOGLE_GEMINI_BASE_URL: origin, GEMINI_API_KEY: apiKey } },
      { kind: 'command', text: `gemini --model ${model}` },
    ],
  },
  {
    id: 'opencode',
    name: 'opencode',
    kind: 'agent',
    protocols: all,
    parts: ({ origin, apiKey, model }, protocol = 'chat') => [
      {
        kind: 'file',
        path: '~/.config/opencode/opencode.json',
        text: json({
          provider: {
            gateway: {
              npm: ofOpencode[protocol],
              options: { baseURL: `${origin}/${protocol === 'Gemini' ? 'v1beta' : 'v1'}`, apiKey },
              models: { [model]: {} },
            },
          },
        }),
      },
      { kind: 'command', text: `opencode --model gateway/${model}` },
    ],
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    kind: 'agent',
    protocols: all,
    parts: ({ origin, apiKey, model }, protocol = 'chat') => {
      const [type, variables, path] = ofQwen[protocol];
      const address = protocol === 'Gemini' ? 'GOOGLE_GEMINI_BASE_URL' : `${variables}_BASE_URL`;
      return [
        { kind: 'env', values: { [address]: origin + path, [`${variables}_API_KEY`]: apiKey } },
        { kind: 'command', text: `qwen --auth-type ${type} --model ${model}` },
      ];
    },
  },
  {
    id: 'cline',
    name: 'Cline',
    kind: 'agent',
    protocols: ['chat'],
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'command',
        text: `cline auth --provider openai-compatible --apikey ${apiKey} --modelid ${model} --baseurl ${origin}/v1`,
      },
    ],
  },
  {
    id: 'continue',
    name: 'Continue',
    kind: 'agent',
    protocols: ['chat', 'Messages'],
    parts: ({ origin, apiKey, model }, protocol = 'chat') => [
      {
        kind: 'file',
        path: '~/.continue/config.yaml',
        text: [
          'name: gateway',
          'version: 0.0.1',
          'schema: v1',
          'models:',
          `  - name: "${model}"`,
          `    provider: ${protocol === 'chat' ? 'openai' : 'anthropic'}`,
          `    model: "${model}"`,
          `    apiBase: "${origin}/v1"`,
          `    apiKey: "${apiKey}"`,
          '    capabilities: [tool_use]',
          '    roles: [chat]',
          '',
        ].join('\n'),
      },
    ],
  },
  {
    id: 'aider',
    name: 'aider',
    kind: 'agent',
    protocols: ['chat', 'Messages'],
    parts: ({ origin, apiKey, model }, protocol = 'chat') =>
      protocol === 'chat'
        ? [
            { kind: 'env', values: { OPENAI_API_BASE: `${origin}/v1`, OPENAI_API_KEY: apiKey } },
            { kind: 'command', text: `aider --model openai/${model}` },
          ]
        : [
            { kind: 'env', values: { ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: apiKey } },
            { kind: 'command', text: `aider --model anthropic/${model}` },
          ],
  },
  {
    id: 'pi',
    name: 'pi',
    kind: 'agent',
    protocols: all,
    parts: ({ origin, apiKey, model }, protocol = 'chat') => {
      const [api, path] = ofPi[protocol];
      const gateway = { baseUrl: origin + path, api, apiKey, models: [{ id: model }] };
      return [
        { kind: 'file', path: '~/.pi/agent/models.json', text: json({ providers: { gateway } }) },
        { kind: 'command', text: `pi --model gateway/${model}` },
      ];
    },
  },
];

const applications: readonly Setup[] = [
  {
    id: 'open-webui',
    name: 'Open WebUI',
    kind: 'application',
    protocols: ['chat'],
    parts: ({ origin, apiKey }) => [
      { kind: 'env', values: { OPENAI_API_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: apiKey } },
      { kind: 'command', text: 'open-webui serve' },
    ],
  },
  {
    id: 'cherry-studio',
    name: 'Cherry Studio',
    kind: 'application',
    protocols: ['chat'],
    note: {
      zh: '在“设置 → 模型服务 → 添加”中填写。',
      en: 'The fields are in Settings → Model Provider → Add.',
    },
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'fields',
        values: { 'Provider Type': 'OpenAI', 'API Key': apiKey, 'API Host': origin, 'Model ID': model },
      },
    ],
  },
  {
    id: 'lobechat',
    name: 'LobeChat',
    kind: 'application',
    protocols: ['chat'],
    note: { zh: '这些是服务器的变量。', en: 'These are variables of its server.' },
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'env',
        values: {
          OPENAI_PROXY_URL: `${origin}/v1`,
          OPENAI_API_KEY: apiKey,
          OPENAI_MODEL_LIST: `-all,+${model}`,
        },
      },
    ],
  },
  {
    id: 'librechat',
    name: 'LibreChat',
    kind: 'application',
    protocols: ['chat'],
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'file',
        path: 'librechat.yaml',
        text: [
          'version: 1.2.1',
          'endpoints:',
          '  custom:',
          '    - name: Gateway',
          `      apiKey: "${apiKey}"`,
          `      baseURL: "${origin}/v1"`,
          '      models:',
          `        default: ["${model}"]`,
          '        fetch: true',
          '',
        ].join('\n'),
      },
    ],
  },
  {
    id: 'nextchat',
    name: 'NextChat',
    kind: 'application',
    protocols: ['chat'],
    note: { zh: '这些是服务器的变量。', en: 'These are variables of its server.' },
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'env',
        values: { BASE_URL: origin, OPENAI_API_KEY: apiKey, CUSTOM_MODELS: `-all,+${model}` },
      },
    ],
  },
];

const libraries: readonly Setup[] = [
  {
    id: 'openai-python',
    name: 'openai (Python)',
    kind: 'library',
    protocols: ['chat'],
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'code',
        language: 'python',
        text: `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${apiKey}")

answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)
`,
      },
    ],
  },
  {
    id: 'openai-javascript',
    name: 'openai (JavaScript)',
    kind: 'library',
    protocols: ['chat'],
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'code',
        language: 'javascript',
        text: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: '${apiKey}' });

const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);
`,
      },
    ],
  },
  {
    id: 'anthropic-python',
    name: 'anthropic (Python)',
    kind: 'library',
    protocols: ['Messages'],
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'code',
        language: 'python',
        text: `from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key="${apiKey}")

answer = client.messages.create(
    model="${model}",
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.content[0].text)
`,
      },
    ],
  },
  {
    id: 'google-python',
    name: 'google-genai (Python)',
    kind: 'library',
    protocols: ['Gemini'],
    parts: ({ origin, apiKey, model }) => [
      {
        kind: 'code',
        language: 'python',
        text: `from google import genai
from google.genai import types

client = genai.Client(
    api_key="${apiKey}",
    http_options=types.HttpOptions(base_url="${origin}"),
)
answer = client.models.generate_content(model="${model}", contents="Hello")
print(answer.text)
`,
      },
    ],
  },
];

/** Every program and library with a setup. */
export const setups: readonly Setup[] = [...agents, ...applications, ...libraries];

/**
 * A model's name for a setup: the placeholder MODEL without a name, and for one that a shell or a file would read as more than
 * a name. Operators choose names, and readers paste the text into a terminal.
 */
export const pastableModel = (name: string | undefined): string =>
  name !== undefined && /^[\p{L}\p{N}_][\p{L}\p{N}_.:/@+-]*$/u.test(name) ? name : 'MODEL';

/** The text of a part, as a person copies it. */
export function textOfPart(part: SetupPart): string {
  switch (part.kind) {
    case 'env':
      return Object.entries(part.values)
        .map(([name, value]) => `export ${name}="${value}"\n`)
        .join('');
    case 'fields':
      return Object.entries(part.values)
        .map(([label, value]) => `${label}: ${value}\n`)
        .join('');
    case 'file':
    case 'code':
      return part.text;
    case 'command':
      return `${part.text}\n`;
  }
}
