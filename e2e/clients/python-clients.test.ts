/** @module-tag deep */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playModel } from '../../packages/server/src/testing/model/fake-model.ts';
import type { ModelExchange } from '../../packages/server/src/testing/upstream/fake-upstream-exchange.ts';
import type { ModelBehaviour } from '../../packages/server/src/testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway } from '../../packages/server/src/testing/gateway-harness.ts';
import { addWire, asksToThink, type Failing, type FarSide, type Wire, wires } from './wires.ts';

// Python's official clients, configured with Tollgate's address and a key, run the same journeys before the upstream of
// every wire (wires.ts). `.ci/run` installs them (python/requirements.txt); the journeys are in python/*.py.

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

const table: Readonly<Record<string, Wire>> = wires;
const wireNames = Object.keys(table);

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Behaviour of the model, by the words of the question. */
const model = (words: string, ending?: 'cut' | 'silence'): ModelBehaviour =>
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
      return asksToThink(words)
        ? { thought: 'Let me see.', say: 'I see.' }
        : { say: 'I was not asked to think.' };
    }
    return { say: 'Hello from the model.' };
  }, ending);

/** A request's JSON without the spaces that Python adds. Only Google reads both alphabets of base64. */
function wordsOf(exchange: ModelExchange): string {
  const text = JSON.stringify(exchange.json());
  return exchange.path.includes(':') ? text.replace(forAddresses(picture), picture) : text;
}

const forAddresses = (base64: string): string => base64.replaceAll('+', '-').replaceAll('/', '_');

/** The model behind a wire, which fails, breaks off or stops sending if the question says so. */
const behind =
  ({ failures }: Wire): ModelBehaviour =>
  (exchange) => {
    const words = wordsOf(exchange);
    const status = /refuse with (\d+)/.exec(words)?.[1];
    if (status) return failures[Number(status) as Failing][0](exchange);
    if (words.includes('break off')) return model(words, 'cut')(exchange);
    return model(words, words.includes('never end') ? 'silence' : undefined)(exchange);
  };

let gate: GatewayHarness;
/** Wire → its upstream. */
const farSides = new Map<string, FarSide>();
/** Client → wire → journey → result. */
let results: Record<Client, Record<string, Record<string, unknown>>>;

/** Runs one client's journeys; returns their report. */
function walk(client: Client, key: string): Promise<Record<string, Record<string, unknown>>> {
  const models = Object.fromEntries(wireNames.map((name) => [name, table[name]!.model]));
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

/** Time limit for hundreds of calls by each of four processes, on a machine that may be busy. */
const walkMs = 300_000;

beforeAll(async () => {
  if (!isInstalled) return;
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  for (const [name, wire] of Object.entries(table))
    farSides.set(name, await addWire(gate, wire, behind(wire)));
  const { key } = await gate.addCaller({ balance: 500_000_000 });
  const walked = await Promise.all(
    clientNames.map(async (client) => [client, await walk(client, key)] as const),
  );
  results = Object.fromEntries(walked) as typeof results;
}, walkMs);
afterAll(async () => {
  if (!isInstalled) return;
  await gate.close();
  for (const farSide of farSides.values()) await farSide.close();
});

/** Value that marks the end of an answer, by client. */
const ends: Record<Client, string> = {
  'openai in Chat Completions': 'stop',
  'openai in Responses': 'completed',
  anthropic: 'end_turn',
  'google-genai': 'STOP',
};

/** Class of a client's error for a status. */
function classOf(client: Client, status: number): string {
  if (client === 'google-genai') return `${status < 500 ? 'Client' : 'Server'}Error ${status}`;
  return status < 500 ? openaiClasses[status]! : 'InternalServerError';
}

const openaiClasses: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
};

/** Expected result of each journey, for every wire. */
const journeys: Record<string, (client: Client, wire: Wire) => unknown> = {
  chat: (client) => ['Hello from the model.', ends[client], [40, 12]],
  stream: (client) => ['Hello from the model.', ends[client], [40, 12]],
  conversation: () => 'Hello from the model.',
  tools: () => ['weather', { city: 'Paris' }, 'It is mild.'],
  streamed_tools: () => ['weather', { city: 'Paris' }, 'It is mild.'],
  own_tools: () => 'It is mild.',
  images: () => 'I see a picture.',
  structured: () => ({ city: 'Paris', celsius: 18 }),
  thinking: (_client, { isThoughtless }) =>
    isThoughtless
      ? ['', 'I was not asked to think.', expect.stringMatching(/\b(reasoning|thinking)/) as unknown]
      : [
          'Let me see.',
          'I see.',
          expect.not.stringMatching(/\breasoning|\bthinking(?!_?[bB]udget)/) as unknown,
        ],
  streamed_thinking: (_client, { isThoughtless }) =>
    isThoughtless ? ['', 'I was not asked to think.'] : ['Let me see.', 'I see.'],
  errors: (client, { failures }) =>
    [401, ...Object.values(failures).map(([, status]) => status)].map((status) => classOf(client, status)),
  broken: () => expect.stringMatching(/^\w*(Error|Exception)$/) as unknown,
  abort: () => 'left',
};

describe.runIf(isInstalled).each(clientNames)("Python's %s", (client) => {
  describe.each(wireNames)('before %s', (name) => {
    const wire = table[name]!;
    const refused = Object.entries(wire.refused ?? {});

    it.each(Object.keys(journeys).filter((journey) => !wire.refused?.[journey]))('%s', (journey) => {
      expect(results[client][name]?.[journey]).toEqual(journeys[journey]!(client, wire));
    });

    it.each(refused)('%s, refused by name: %s', (journey, words) => {
      expect(results[client][name]?.[journey]).toEqual({
        raised: classOf(client, 400),
        words: expect.stringContaining(words) as string,
        trace: expect.any(String) as string,
      });
    });
  });
});

describe.runIf(isInstalled).each(wireNames)('%s', (name) => {
  it('is notified when clients disconnect', async () => {
    const left = farSides.get(name)!.requests.filter(({ body }) => body.includes('never end'));
    expect(left).toHaveLength(clientNames.length);
    await Promise.all(left.map(({ finished }) => finished));
    expect(left.filter(({ cutByPeer }) => !cutByPeer)).toEqual([]);
  });

  it('gets no request that is refused', () => {
    const { refused = {} } = table[name]!;
    const asked = Object.keys(refused).map((journey) => questions[journey]!);
    const sent = farSides.get(name)!.requests.map(({ body }) => body.toString());
    expect(sent.filter((body) => asked.some((question) => body.includes(question)))).toEqual([]);
  });
});

/** Questions that a wire may refuse. */
const questions: Readonly<Record<string, string>> = {
  tools: 'What is the weather in Paris?',
  streamed_tools: 'What is the weather in Paris?',
  own_tools: 'What is the weather in Paris?',
  images: 'What do you see?',
  structured: 'Please measure Paris.',
};

it.runIf(isInstalled)("Python's clients leave no hold open and the books consistent", async () => {
  await expect.poll(() => gate.openHolds()).toBe(0);
  await gate.core.ledger.flush();
  expect(await gate.findings()).toEqual([]);
});
