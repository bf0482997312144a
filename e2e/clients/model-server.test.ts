/** @module-tag deep */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonObject, objectOf, objectsIn, textOf } from '../../packages/server/src/lib/json.ts';
import {
  type GatewayHarness,
  openGateway,
  type TestCaller,
} from '../../packages/server/src/testing/gateway-harness.ts';

// llama.cpp's own server behind Tollgate. A proxy between them records every answer, so that texts, counts and charges
// are compared with the output of the server itself. `.ci/run` installs the server (python/model-server.txt).

const home = join(import.meta.dirname, 'python');
const isInstalled = existsSync(join(home, 'venv/model-server.txt'));

/** Quota units per token: each is a whole number, so no charge is rounded. */
const price = { input: 2, cached: 1, output: 6 };

/** Channels for this server, and the path that is part of a channel's address. */
const channels: Readonly<Record<string, { type: number; path?: string }>> = {
  'llama.cpp': { type: 9116 },
  OpenAI: { type: 1 },
  Anthropic: { type: 14 },
  'Ollama in OpenAI’s protocol': { type: 4 },
  'any server with OpenAI’s bodies': { type: 8, path: '/v1/chat/completions' },
};

const question = 'Which animals does the old river see?';

interface Caller {
  path: (model: string, stream: boolean) => string;
  body: (text: string) => JsonObject;
  /** Text of a whole answer, or of one event. */
  text: (body: JsonObject) => string;
  /** Tokens as [uncached input, cached input, output]; undefined if an event has no counts. */
  usage: (body: JsonObject) => Counts | undefined;
}
type Counts = readonly [uncached: number, cached: number, output: number];

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const joined = (texts: readonly string[]): string => texts.join('');

const callers: Readonly<Record<string, Caller>> = {
  'Chat Completions': {
    path: () => '/v1/chat/completions',
    body: (text) => ({
      messages: [{ role: 'user', content: text }],
      max_tokens: 12,
      stream_options: { include_usage: true },
    }),
    text: ({ choices }) =>
      joined(objectsIn(choices).map((choice) => textOf(objectOf(choice.message ?? choice.delta).content))),
    usage: ({ usage }) => ofOpenai(objectOf(usage), 'prompt', 'completion'),
  },
  Responses: {
    path: () => '/v1/responses',
    body: (text) => ({ input: text, max_output_tokens: 12 }),
    text: ({ type, delta, output }) =>
      type === 'response.output_text.delta'
        ? textOf(delta)
        : joined(
            objectsIn(output).flatMap(({ content }) => objectsIn(content).map((part) => textOf(part.text))),
          ),
    usage: (body) => ofOpenai(objectOf(objectOf(body.response ?? body).usage), 'input', 'output'),
  },
  Messages: {
    path: () => '/v1/messages',
    body: (text) => ({ messages: [{ role: 'user', content: text }], max_tokens: 12 }),
    text: ({ content, delta }) =>
      textOf(objectOf(delta).text) + joined(objectsIn(content).map((block) => textOf(block.text))),
    usage: ({ message, usage }) => ofAnthropic(objectOf(objectOf(message).usage ?? usage)),
  },
  Gemini: {
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (text) => ({ contents: [{ parts: [{ text }] }], generationConfig: { maxOutputTokens: 12 } }),
    text: ({ candidates }) =>
      joined(
        objectsIn(candidates).flatMap(({ content }) =>
          objectsIn(objectOf(content).parts).map((part) => textOf(part.text)),
        ),
      ),
    usage: ({ usageMetadata }) => {
      const usage = objectOf(usageMetadata);
      const cached = number(usage.cachedContentTokenCount);
      return 'promptTokenCount' in usage
        ? [number(usage.promptTokenCount) - cached, cached, number(usage.candidatesTokenCount)]
        : undefined;
    },
  },
};

function ofOpenai(usage: JsonObject, input: string, output: string): Counts | undefined {
  if (!(`${input}_tokens` in usage)) return undefined;
  const cached = number(objectOf(usage[`${input}_tokens_details`]).cached_tokens);
  return [number(usage[`${input}_tokens`]) - cached, cached, number(usage[`${output}_tokens`])];
}

function ofAnthropic(usage: JsonObject): Counts | undefined {
  if (!('output_tokens' in usage)) return undefined;
  return [number(usage.input_tokens), number(usage.cache_read_input_tokens), number(usage.output_tokens)];
}

const largest = (a: Counts, b: Counts): Counts => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.max(a[2], b[2]),
];

/** JSON objects of an answer: one for each event of a stream, or one for a whole answer. */
const objectsOf = (answer: string): JsonObject[] =>
  answer.startsWith('{')
    ? [JSON.parse(answer) as JsonObject]
    : [...answer.matchAll(/^data: (\{.*\})\r?$/gm)].map((line) => JSON.parse(line[1]!) as JsonObject);

/** The answer as a caller of the protocol reads it. */
function readAnswer(caller: Caller, answer: string): { text: string; usage: Counts | undefined } {
  const objects = objectsOf(answer);
  // The last object of a Responses stream repeats the whole text.
  const said = objects.filter(({ type }) => type !== 'response.completed' && type !== 'response.incomplete');
  return {
    text: joined(said.map(caller.text)),
    // The first event of Messages counts the input, a later event the output.
    usage: objects
      .map(caller.usage)
      .reduce((counts, each) => (counts && each ? largest(counts, each) : (counts ?? each)), undefined),
  };
}

/** The protocol of the server's own answer, by the path of the request. */
const protocolOf = (path: string): Caller =>
  callers[
    path.includes('messages') ? 'Messages' : path.includes('responses') ? 'Responses' : 'Chat Completions'
  ]!;

let gate: GatewayHarness;
let server: ChildProcess;
let person: TestCaller;
/** The server's answers since the last reset, in order. */
let answers: { path: string; status: number; body: string }[] = [];
let proxyUrl: string;

/** Passes requests on to the server and records its answers. */
const proxyTo = (upstream: string) =>
  createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { method = 'GET', url = '' } = request;
      const answer = await fetch(upstream + url, {
        method,
        headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
        ...(method === 'POST' && { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      const body: Uint8Array[] = [];
      for await (const chunk of answer.body!) {
        body.push(chunk);
        response.write(chunk);
      }
      answers.push({ path: url, status: answer.status, body: Buffer.concat(body).toString() });
      response.end();
    })();
  });
let proxy: ReturnType<typeof proxyTo>;

/** Each channel serves the model under its own name. */
const names = Object.keys(channels);
const modelOf = (name: string): string => `random-${names.indexOf(name)}`;

beforeAll(async () => {
  if (!isInstalled) return;
  server = spawn(join(home, 'venv/bin/python'), ['-B', join(home, 'model_server.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [address] = (await once(createInterface(server.stdout!), 'line')) as [string];
  proxy = proxyTo(address);
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  gate = await openGateway();
  const all = (value: number) =>
    JSON.stringify(Object.fromEntries(names.map((name) => [modelOf(name), value])));
  await gate.core.settings.set('ModelRatio', all(price.input));
  await gate.core.settings.set('CompletionRatio', all(price.output / price.input));
  await gate.core.settings.set('CacheRatio', all(price.cached / price.input));
  for (const [name, { type, path = '' }] of Object.entries(channels)) {
    await gate.addChannel({ type, key: 'any', models: modelOf(name), base_url: proxyUrl + path });
  }
  person = await gate.addCaller({ balance: 500_000_000 });
}, 240_000);
afterAll(async () => {
  if (!isInstalled) return;
  await gate.close();
  proxy.close();
  server.stdin!.end();
  await once(server, 'exit');
});

const post = (path: string, body: JsonObject): Promise<Response> =>
  fetch(gate.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });

/** Makes a call; returns its text and its cost in quota units. */
async function call(
  path: string,
  body: JsonObject,
): Promise<{ status: number; answer: string; cost: number }> {
  answers = [];
  const before = await gate.readBalance(person);
  const response = await post(path, body);
  const answer = await response.text();
  const { balance } = await gate.readBalance(person);
  return { status: response.status, answer, cost: before.balance - balance };
}

const chargeOf = ([uncached, cached, output]: Counts): number =>
  uncached * price.input + cached * price.cached + output * price.output;

describe.runIf(isInstalled).each(names)('a real model server as a channel of %s', (name) => {
  const model = modelOf(name);

  describe.each(Object.entries(callers))('called by %s', (_protocol, caller) => {
    it.each([
      ['whole', false],
      ['streamed', true],
    ])('%s: text, counts and charge are those of the server', async (_how, stream) => {
      const { answer, cost, status } = await call(caller.path(model, stream), {
        model,
        stream,
        ...caller.body(question),
      });
      expect([status, answers.map((each) => each.status)]).toEqual([200, [200]]);
      const { path, body } = answers[0]!;
      const own = readAnswer(protocolOf(path), body);
      expect(own.text).not.toBe('');
      expect(own.usage).toBeDefined();
      expect(readAnswer(caller, answer)).toEqual(own);
      expect(cost).toBe(chargeOf(own.usage!));
    });

    it('a question that is too long is refused in the server’s words, and free', async () => {
      const { status, answer, cost } = await call(caller.path(model, false), {
        model,
        ...caller.body('the old tree '.repeat(400)),
      });
      expect([status, cost]).toEqual([400, 0]);
      expect(answer).toContain('exceeds the available context size');
    });
  });
});

it.runIf(isInstalled)('embeddings of a real model server are its numbers, and cost its count', async () => {
  const model = modelOf('llama.cpp');
  const { answer, cost } = await call('/v1/embeddings', { model, input: ['the old tree', 'a river'] });
  const own = JSON.parse(answers[0]!.body) as JsonObject;
  expect(objectsIn((JSON.parse(answer) as JsonObject).data)).toEqual(objectsIn(own.data));
  expect(cost).toBe(number(objectOf(own.usage).prompt_tokens) * price.input);
  expect(cost).toBeGreaterThan(0);
});

it.runIf(isInstalled)('a real model server leaves no hold open and the books consistent', async () => {
  await expect.poll(() => gate.openHolds()).toBe(0);
  await gate.core.ledger.flush();
  expect(await gate.findings()).toEqual([]);
});
