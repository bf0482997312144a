import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playModel } from '../../packages/server/src/testing/model/fake-model.ts';
import type { FakeExchange } from '../../packages/server/src/testing/upstream/fake-upstream-exchange.ts';
import { refuse } from '../../packages/server/src/testing/upstream/fake-upstream-faults.ts';
import type { Behaviour } from '../../packages/server/src/testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway } from '../../packages/server/src/testing/gateway-harness.ts';

// Python's official clients, pointed at Tollgate by an address and a key, walk the same journeys before an upstream of
// every protocol. `.ci/run` installs them (python/requirements.txt); what they do stands in python/*.py.

const home = join(import.meta.dirname, 'python');
const python = join(home, 'venv/bin/python');
const isInstalled = existsSync(join(home, 'venv/installed.txt'));

const clients = {
  'openai in Chat Completions': 'openai_chat.py',
  'openai in Responses': 'openai_responses.py',
  anthropic: 'anthropic_messages.py',
  'google-genai': 'google_gemini.py',
} as const;
type Client = keyof typeof clients;
const clientNames = Object.keys(clients) as Client[];

/** A model behind an upstream of each protocol; the channel's type says which. */
const upstreams = {
  'Chat Completions': { type: 31, model: 'gpt-oss-120b' },
  Responses: { type: 1, model: 'gpt-5-played' },
  Messages: { type: 14, model: 'claude-sonnet-4-5' },
  Gemini: { type: 24, model: 'gemini-2.5-pro' },
  'Ollama itself': { type: 4, model: 'gpt-oss:20b', other: 'native' },
  'Bedrock Converse': { type: 33, model: 'us.amazon.nova-2-lite-v1:0', key: 'ABSKexample|us-west-2' },
  Cohere: { type: 34, model: 'command-a-reasoning-08-2025' },
} as const;
const upstreamNames = Object.keys(upstreams) as (keyof typeof upstreams)[];

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const asksToThink =
  /"(reasoning_effort|effort|maxReasoningEffort|think)":"(low|medium|high)"|"(budget_tokens|thinkingBudget|thinking_budget)":\d|"thinking":\{"type":"(enabled|adaptive)"/;

/** What the model does, by the words of the question. */
const model = (words: string): Behaviour =>
  playModel(({ tools, results }) => {
    if (results.length > 0)
      return { say: results.join(' ').includes('18 degrees') ? 'It is mild.' : 'Lost.' };
    if (tools.some(({ name }) => name === 'weather')) return { call: 'weather', input: { city: 'Paris' } };
    if (words.includes('What do you see?')) {
      return { say: words.includes(picture) ? 'I see a picture.' : 'I see nothing.' };
    }
    if (words.includes('measure Paris')) {
      return { say: words.includes('celsius') ? '{"city":"Paris","celsius":18}' : 'No schema was sent.' };
    }
    if (words.includes('think first')) {
      return asksToThink.test(words)
        ? { thought: 'Let me see.', say: 'I see.' }
        : { say: 'I was not asked to think.' };
    }
    return { say: 'Hello from the model.' };
  });

/** The same exchange, with another end. */
const endingIn = (exchange: FakeExchange, end: () => Promise<void>): FakeExchange =>
  new Proxy(exchange, {
    get(target, name) {
      if (name === 'end') return end;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

/** Writes the first pieces alone, and then cuts. */
function cutAfter(exchange: FakeExchange, pieces: number): FakeExchange {
  let count = 0;
  const cut = async () => exchange.cut();
  return new Proxy(endingIn(exchange, cut), {
    get(target, name) {
      if (name !== 'write') return Reflect.get(target, name, target) as unknown;
      return async (bytes: string | Buffer) => {
        count += 1;
        if (count <= pieces) return exchange.write(bytes);
        // What was written is on its way first.
        await exchange.turn();
        exchange.cut();
      };
    },
  });
}

/** A request's JSON without the spaces that Python puts into it. Google alone reads both alphabets of base64. */
function wordsOf(exchange: FakeExchange): string {
  const text = JSON.stringify(exchange.json());
  return exchange.path.includes(':') ? text.replace(forAddresses(picture), picture) : text;
}

const forAddresses = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

const upstream: Behaviour = async (exchange) => {
  const words = wordsOf(exchange);
  const status = /refuse with (\d+)/.exec(words)?.[1];
  if (status) return refuse(Number(status), { message: `refused with ${status}` })(exchange);
  if (words.includes('break off')) return model(words)(cutAfter(exchange, 2));
  if (words.includes('never end')) return model(words)(endingIn(exchange, () => exchange.closed));
  return model(words)(exchange);
};

let gate: GatewayHarness;
/** Client → upstream → journey → what came of it. */
let results: Record<Client, Record<string, Record<string, unknown>>>;

/** Runs one client's journeys; answers what they report. */
function walk(client: Client, key: string): Promise<Record<string, Record<string, unknown>>> {
  const models = Object.fromEntries(upstreamNames.map((name) => [name, upstreams[name].model]));
  return new Promise((resolve, reject) => {
    const child = spawn(python, ['-B', join(home, clients[client])], {
      env: {
        PATH: process.env['PATH'],
        TOLLGATE_URL: gate.url,
        TOLLGATE_KEY: key,
        TOLLGATE_MODELS: JSON.stringify(models),
        TOLLGATE_PICTURE: picture,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [report, trouble] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (report += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (trouble += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0
        ? resolve(JSON.parse(report) as Record<string, Record<string, unknown>>)
        : reject(new Error(`${client} ended with ${code}:\n${trouble}`)),
    );
  });
}

beforeAll(async () => {
  if (!isInstalled) return;
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  for (const { model: models, ...channel } of Object.values(upstreams))
    await gate.addChannel({ ...channel, models });
  gate.upstream.script(upstream);
  const { key } = await gate.addCaller({ balance: 500_000_000 });
  const walked = await Promise.all(
    clientNames.map(async (client) => [client, await walk(client, key)] as const),
  );
  results = Object.fromEntries(walked) as typeof results;
});
afterAll(async () => {
  if (isInstalled) await gate.close();
});

/** How each protocol names the end of an answer. */
const ends: Record<Client, string> = {
  'openai in Chat Completions': 'stop',
  'openai in Responses': 'completed',
  anthropic: 'end_turn',
  'google-genai': 'STOP',
};
const openaiErrors = [
  'AuthenticationError',
  'BadRequestError',
  'NotFoundError',
  'RateLimitError',
  'InternalServerError',
];
const errors: Record<Client, string[]> = {
  'openai in Chat Completions': openaiErrors,
  'openai in Responses': openaiErrors,
  anthropic: openaiErrors,
  'google-genai': [
    'ClientError 401',
    'ClientError 400',
    'ClientError 404',
    'ClientError 429',
    'ServerError 500',
  ],
};

/** What has to come of each journey, whatever the upstream speaks. */
const journeys: Record<string, (client: Client) => unknown> = {
  chat: (client) => ['Hello from the model.', ends[client], [40, 12]],
  stream: (client) => ['Hello from the model.', ends[client], [40, 12]],
  tools: () => ['weather', { city: 'Paris' }, 'It is mild.'],
  streamed_tools: () => ['weather', { city: 'Paris' }, 'It is mild.'],
  images: () => 'I see a picture.',
  structured: () => ({ city: 'Paris', celsius: 18 }),
  thinking: () => ['Let me see.', 'I see.'],
  streamed_thinking: () => ['Let me see.', 'I see.'],
  errors: (client) => errors[client],
  broken: () => expect.stringMatching(/^\w*(Error|Exception)$/) as unknown,
  abort: () => 'left',
};

describe.runIf(isInstalled).each(clientNames)("Python's %s", (client) => {
  describe.each(upstreamNames)('before an upstream of %s', (name) => {
    it.each(Object.keys(journeys))('%s', (journey) => {
      expect(results[client][name]?.[journey]).toEqual(journeys[journey]!(client));
    });
  });
});

describe.runIf(isInstalled)("Python's clients", () => {
  it('are heard by the upstream when they leave', async () => {
    const left = gate.upstream.requests.filter(({ body }) => body.includes('never end'));
    expect(left).toHaveLength(clientNames.length * upstreamNames.length);
    await Promise.all(left.map(({ finished }) => finished));
    expect(left.filter(({ cutByPeer }) => !cutByPeer)).toEqual([]);
  });

  it('leave no hold open and the books in order', async () => {
    await expect.poll(() => gate.openHolds()).toBe(0);
    await gate.core.ledger.flush();
    expect(await gate.findings()).toEqual([]);
  });
});
