/** @module-tag deep */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonObject, objectOf, objectsIn, textOf } from '../../packages/server/src/lib/json.ts';
import { playModel } from '../../packages/server/src/testing/model/fake-model.ts';
import type { ModelBehaviour } from '../../packages/server/src/testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway } from '../../packages/server/src/testing/gateway-harness.ts';
import { addWire, type FarSide, type Wire, wires } from './wires.ts';

// The cases of Open Responses' own suite (openresponses.org/compliance), which no registry has, in our words, before the
// upstream of every wire. Each answer and each event is checked against the published schema, which comes with llm-comply.

const specification = 'python/venv/lib/*/site-packages/llm_comply/specs/openresponses.json';
const [schemaFile] = globSync(join(import.meta.dirname, specification));

const table: Readonly<Record<string, Wire>> = wires;
const wireNames = Object.keys(table);

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const document = Buffer.from(
  '%PDF-1.4\n1 0 obj <</Type/Catalog>> endobj\ntrailer <</Root 1 0 R>>\n',
).toString('base64');

/** Without the letters that differ in the base64 of some vendors. */
const plain = (text: string): string => text.replaceAll(/[-_+/]/g, '');

/** OpenAI keeps the conversations that its responses continue. */
const kept = new Map<string, string>();

const model: ModelBehaviour = (exchange) => {
  const body = exchange.json() as JsonObject;
  const sent = `${kept.get(textOf(body.previous_response_id)) ?? ''} ${plain(JSON.stringify(body))}`;
  return playModel(({ tools, results }) => {
    if (results.length > 0)
      return { say: results.join(' ').includes('18 degrees') ? 'It is mild.' : 'Lost.' };
    if (tools.length > 0) return { call: 'weather', input: { city: 'Paris' } };
    if (sent.includes(plain(picture))) return { say: 'A picture.' };
    if (sent.includes(plain(document))) return { say: 'A document.' };
    if (sent.includes('What is my name?')) return { say: sent.includes('Alice') ? 'Alice' : 'Unknown.' };
    return { say: sent.includes('like a pirate') ? 'Ahoy.' : 'Hello.' };
  })(exchange);
};

let gate: GatewayHarness;
let key: string;
let schemas: Ajv2020;
/** Type of an event → the name of its schema. */
let eventSchemas: ReadonlyMap<string, string>;
const farSides: FarSide[] = [];

beforeAll(async () => {
  if (schemaFile === undefined) return;
  const spec = JSON.parse(readFileSync(schemaFile, 'utf8')) as JsonObject;
  schemas = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  schemas.addSchema(spec, 'spec');
  const named = Object.entries(objectOf(objectOf(spec.components).schemas)).map(([name, schema]) => {
    const { enum: types } = objectOf(objectOf(objectOf(schema).properties).type);
    return [textOf(Array.isArray(types) ? types[0] : ''), name] as const;
  });
  eventSchemas = new Map(named.filter(([, name]) => name.endsWith('StreamingEvent')));
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  // Otherwise only OpenAI keeps responses.
  await gate.core.settings.set('StoredResponseDays', '1');
  for (const wire of Object.values(table)) farSides.push(await addWire(gate, wire, model));
  key = (await gate.addCaller({ balance: 500_000_000 })).key;
});
afterAll(async () => {
  if (schemaFile === undefined) return;
  await gate.close();
  for (const farSide of farSides) await farSide.close();
});

/** What a value lacks of a schema, or has too much. */
function faults(name: string, value: JsonObject): string[] {
  const validate = schemas.getSchema(`spec#/components/schemas/${name}`)!;
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** A call; a refusal is thrown. */
async function send(body: JsonObject): Promise<Response> {
  const answer = await fetch(`${gate.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer;
}

/** A completed response that has the published schema. */
async function respond(body: JsonObject): Promise<JsonObject> {
  const response = (await (await send(body)).json()) as JsonObject;
  expect(faults('ResponseResource', response)).toEqual([]);
  expect(response.status).toBe('completed');
  return response;
}

/** The events of a stream, each with the published schema, in order; the last has the response. */
async function stream(body: JsonObject): Promise<JsonObject[]> {
  const text = await (await send({ ...body, stream: true })).text();
  const data = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []));
  return checked(data.map((line) => JSON.parse(line) as JsonObject));
}

/** Events of a whole response, each with the published schema, in order. */
function checked(events: JsonObject[]): JsonObject[] {
  for (const event of events)
    expect([event.type, faults(eventSchemas.get(textOf(event.type)) ?? 'unknown', event)]).toEqual([
      event.type,
      [],
    ]);
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_event, index) => index));
  expect(events[0]!.type).toBe('response.created');
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  return events;
}

/**
 * Responses on one connection, one after the other: each is asked for with what the one before has said. The last is
 * returned; a refusal is an event of its own.
 */
async function converse(...turns: ((before: JsonObject) => JsonObject)[]): Promise<JsonObject> {
  const socket = new WebSocket(`${gate.url.replace('http', 'ws')}/v1/responses`, [
    'realtime',
    `openai-insecure-api-key.${key}`,
  ]);
  const heard: JsonObject[] = [];
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()));
  socket.addEventListener('message', ({ data }) => heard.push(JSON.parse(String(data)) as JsonObject));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  try {
    let last: JsonObject = {};
    for (const turn of turns) {
      heard.length = 0;
      socket.send(JSON.stringify({ type: 'response.create', store: false, ...turn(last) }));
      await expect.poll(() => heard.at(-1)?.type).toMatch(/^(response\.completed|error)$/);
      const end = heard.at(-1)!;
      last = end.type === 'error' ? end : objectOf(checked([...heard]).at(-1)!.response);
    }
    return last;
  } finally {
    socket.close();
    await closed;
  }
}

const words = ({ output }: JsonObject): string =>
  objectsIn(output)
    .flatMap(({ content }) => objectsIn(content).map(({ text }) => textOf(text)))
    .join('');
const callIn = ({ output }: JsonObject): JsonObject =>
  objectsIn(output).find(({ type }) => type === 'function_call')!;

/** An id that OpenAI knows the conversation of. */
function remembered(id: JsonObject[string] | undefined): string {
  kept.set(textOf(id), 'Alice');
  return textOf(id);
}

const user = (content: JsonObject[string]): JsonObject => ({ type: 'message', role: 'user', content });
const ask = 'What is the weather in Paris?';
const tools: JsonObject[] = [
  {
    type: 'function',
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

/** Case → what a caller gets of it. */
const cases: Record<string, (model: string) => Promise<unknown>> = {
  'a text': async (model) => words(await respond({ model, input: [user('Say hello.')] })),
  'a stream': async (model) => {
    const events = await stream({ model, input: [user('Say hello.')] });
    return events
      .map(({ type, delta }) => (type === 'response.output_text.delta' ? textOf(delta) : ''))
      .join('');
  },
  'a system message': async (model) => {
    const system = { type: 'message', role: 'system', content: 'Talk like a pirate.' };
    return words(await respond({ model, input: [system, user('Say hello.')] }));
  },
  'several turns': async (model) => {
    const said = { type: 'message', role: 'assistant', content: 'Hello, Alice.' };
    return words(await respond({ model, input: [user('I am Alice.'), said, user('What is my name?')] }));
  },
  'a picture': async (model) => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${picture}` };
    return words(
      await respond({ model, input: [user([{ type: 'input_text', text: 'What is it?' }, image])] }),
    );
  },
  'a document': async (model) => {
    const file_data = `data:application/pdf;base64,${document}`;
    const file = { type: 'input_file', filename: 'a.pdf', file_data };
    return words(
      await respond({ model, input: [user([{ type: 'input_text', text: 'What is it?' }, file])] }),
    );
  },
  'a call, and the answer to its result': async (model) => {
    const call = callIn(await respond({ model, input: [user(ask)], tools }));
    expect(JSON.parse(textOf(call.arguments))).toEqual({ city: 'Paris' });
    const result = { type: 'function_call_output', call_id: call.call_id!, output: '18 degrees' };
    return words(await respond({ model, input: [user(ask), call, result], tools }));
  },
  'a streamed call': async (model) => {
    const events = await stream({ model, input: [user(ask)], tools });
    const types = events
      .filter(({ type, item }) => /arguments/.test(textOf(type)) || objectOf(item).type === 'function_call')
      .map(({ type }) => textOf(type));
    expect([...new Set(types)]).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]);
    return callIn(objectOf(events.at(-1)!.response)).arguments;
  },
  'a continued response': async (model) => {
    const { id } = await respond({ model, input: 'I am Alice.', store: true });
    return words(await respond({ model, previous_response_id: remembered(id), input: 'What is my name?' }));
  },
  'texts on a socket': async (model) =>
    words(
      await converse(
        () => ({ model, input: 'I am Alice.' }),
        ({ id }) => ({ model, previous_response_id: remembered(id), input: 'What is my name?' }),
      ),
    ),
  'a call on a socket, and the answer to its result': async (model) =>
    words(
      await converse(
        () => ({ model, input: [user(ask)], tools }),
        (before) => {
          if (before.type === 'error')
            throw new Error(`${JSON.stringify(before.status)}: ${JSON.stringify(before.error)}`);
          const result = {
            type: 'function_call_output',
            call_id: callIn(before).call_id!,
            output: '18 degrees',
          };
          return { model, previous_response_id: before.id!, input: [result], tools };
        },
      ),
    ),
  'an unknown response on a socket, and a text': async (model) =>
    words(
      await converse(
        () => ({ model, previous_response_id: 'resp_unknown', input: 'What is my name?' }),
        ({ type, error }) => {
          expect([type, objectOf(error).code]).toEqual(['error', 'previous_response_not_found']);
          return { model, input: 'Say hello.' };
        },
      ),
    ),
};

/** Vendors that read pictures and no documents. */
const readsNoDocument = ['Ollama itself', 'Cohere', 'Hunyuan'];

/** Case → what a wire refuses of it, by name. */
function refusal(name: string, each: string): string | undefined {
  const { images, tools: calls }: NonNullable<Wire['refused']> = table[name]!.refused ?? {};
  if (each === 'a picture') return images;
  if (/call/.test(each)) return calls;
  return each === 'a document' && (images !== undefined || readsNoDocument.includes(name))
    ? 'cannot be said'
    : undefined;
}

const right: Record<string, unknown> = {
  'a text': 'Hello.',
  'a stream': 'Hello.',
  'a system message': 'Ahoy.',
  'several turns': 'Alice',
  'a picture': 'A picture.',
  'a document': 'A document.',
  'a call, and the answer to its result': 'It is mild.',
  'a streamed call': '{"city":"Paris"}',
  'a continued response': 'Alice',
  'texts on a socket': 'Alice',
  'a call on a socket, and the answer to its result': 'It is mild.',
  'an unknown response on a socket, and a text': 'Hello.',
};

describe.runIf(schemaFile !== undefined).each(wireNames)('Open Responses before %s', (name) => {
  const wire = table[name]!;
  const of = (isRefused: boolean) =>
    Object.keys(cases).filter((each) => (refusal(name, each) !== undefined) === isRefused);

  it.each(of(false))('%s', async (each) => {
    expect(await cases[each]!(wire.model)).toEqual(right[each]);
  });

  it.each(of(true))('refuses %s by name', async (each) => {
    const refused: unknown = await cases[each]!(wire.model).catch((error: unknown) => error);
    expect(String(refused)).toMatch(/^Error: 400: /);
    expect(String(refused)).toContain(refusal(name, each));
  });
});

it.runIf(schemaFile !== undefined)(
  'Open Responses leaves no hold open and the books consistent',
  async () => {
    await expect.poll(() => gate.openHolds()).toBe(0);
    await gate.core.ledger.flush();
    expect(await gate.findings()).toEqual([]);
  },
);
