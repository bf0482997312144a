import type { ReferenceData } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relayRoutes, routeProtocols } from '../relay/index.ts';
import { DocumentCheck } from '../../testing/reference/check-json.ts';
import { batchLine, playEveryCall, soundFile, storedResponse } from '../../testing/reference/upstream.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { ReferencePeople } from '../../testing/reference/people.ts';
import { ReferenceWorld, type WireAnswer } from '../../testing/reference/world.ts';
import { writeDocument, relayCalls } from './document.ts';
import {
  exampleContainers,
  exampleConversations,
  exampleFiles,
  exampleGoogleFiles,
  exampleResponses,
  type RelayCall,
} from './relay/call.ts';
import type { Answer, Operation } from './shape/types.ts';

let world: ReferenceWorld;
let people: ReferencePeople;
let document: ReferenceData;
let check: DocumentCheck;
/** Task names in the examples → task names on the server. */
let tasks: Record<string, string>;
/** The session of a logged-in user. */
let session: Record<string, string>;
beforeAll(async () => {
  world = await ReferenceWorld.open();
  await world.setUp();
  people = await ReferencePeople.arrive(world);
  await people.offerEveryModel();
  for (const id of Object.values(exampleResponses)) {
    world.upstream.next(json(storedResponse(id)));
    const body = { model: 'gpt-4o-mini', input: 'Hello!' };
    await world.request('POST', '/v1/responses', { authorization: `Bearer ${people.key}` }, body);
  }
  for (const id of Object.values(exampleConversations)) {
    world.upstream.next(json({ id, object: 'conversation', metadata: {} }));
    await world.request('POST', '/v1/conversations', { authorization: `Bearer ${people.key}` }, {});
  }
  world.upstream.script(playEveryCall);
  for (const id of Object.values(exampleFiles)) {
    const form = new FormData();
    const isBatch = id === exampleFiles.batchInput;
    form.set('file', new Blob([isBatch ? batchLine : 'x']), 'a.txt');
    form.set('purpose', isBatch ? 'batch' : 'user_data');
    await world.request('POST', '/v1/files', { authorization: `Bearer ${people.key}` }, form);
  }
  for (const _ of Object.values(exampleGoogleFiles)) {
    const parts = ['{"file":{"mimeType":"text/plain"}}', 'x'].map((part) => `--b\r\n\r\n${part}\r\n`);
    await fetch(`${world.url}/upload/v1beta/files`, {
      method: 'POST',
      headers: { 'x-goog-api-key': people.key, 'content-type': 'multipart/related; boundary=b' },
      body: `${parts.join('')}--b--`,
    });
  }
  tasks = await people.makeTasks();
  for (const _ of Object.values(exampleContainers)) {
    const headers = { authorization: `Bearer ${people.key}` };
    const made = await world.request('POST', '/v1/containers', headers, { name: 'lab' });
    const { id } = made.body as { id: string };
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.txt');
    for (let file = 0; file < 2; file += 1)
      await world.request('POST', `/v1/containers/${id}/files`, headers, form);
  }
  session = (await people.prepare('', 'user')).as ?? {};
  document = writeDocument('en', 'test');
  check = new DocumentCheck(document as never);
});
afterAll(() => world.close());

const keyOf = ({ method, path }: Pick<RelayCall, 'method' | 'path'>): string => `${method} ${path}`;

/** Replaces the task names of the examples by those of the server, longer names first. */
const withTasks = (text: string): string =>
  Object.entries(tasks)
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((known, [example, id]) => known.replaceAll(example, id), text);

/** Sends the example of a call, with the key where the protocol's clients put it. */
function sendExample(call: RelayCall, headers: Record<string, string>): Promise<WireAnswer> {
  const query = new URLSearchParams();
  let path = call.path;
  for (const { name, in: place, example } of call.parameters ?? []) {
    if (place === 'path') path = path.replace(`{${name}}`, String(example));
    else query.set(name, String(example));
  }
  const url = query.size > 0 ? `${path}?${query.toString()}` : path;
  const { request } = call;
  if (!request?.isForm) {
    const body = request && (JSON.parse(withTasks(JSON.stringify(request.example))) as unknown);
    return world.request(call.method, withTasks(url), headers, body);
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(request.example)) {
    const isFile = name === 'file' || name === 'image';
    if (isFile) form.set(name, new Blob([soundFile]), String(value));
    else form.set(name, String(value));
  }
  return world.request(call.method, url, headers, form);
}

const routes = relayRoutes(routeProtocols());
const accessOf = ({ method, path }: RelayCall): string | undefined =>
  routes.find((route) => route.method === method && route.path === path)?.access;

const keyHeaders = (call: RelayCall): Record<string, string> =>
  accessOf(call) === 'session' ? session : protocolHeaders(call);

const protocolHeaders = ({ tag }: RelayCall): Record<string, string> => {
  if (tag === 'anthropic') return { 'x-api-key': people.key, 'anthropic-version': '2023-06-01' };
  return tag === 'gemini' ? { 'x-goog-api-key': people.key } : { authorization: `Bearer ${people.key}` };
};

function statedAnswer(call: RelayCall, status: number): Answer {
  const operation = (document.paths[call.path] as Record<string, Operation>)[call.method.toLowerCase()]!;
  const stated = operation.responses[status];
  if (stated === undefined) throw new Error(`${keyOf(call)}: ${status} is not in the reference`);
  const components = document.components as { responses: Record<string, Answer> };
  return '$ref' in stated ? components.responses[stated.$ref.split('/').at(-1)!]! : stated;
}

/** Faults of an answer; '' if it matches the reference. */
function faultOf(call: RelayCall, { status, headers, body }: WireAnswer): string {
  const type = headers.get('content-type')?.split(';', 1)[0] ?? '';
  const media = statedAnswer(call, status).content?.[type];
  if (!media) return `${status} comes as ${type}: ${JSON.stringify(body).slice(0, 300)}`;
  return type === 'application/json' ? check.faultOf(media.schema, body) : '';
}

describe('the relay in the reference', () => {
  it('has every path that the relay serves, except aliases', () => {
    const described = new Set(relayCalls.map(keyOf));
    const other = (path: string): string =>
      path
        .replace(/^\/v1beta\/openai\//, '/v1/')
        .replace(/^\/upload\/v1\//, '/upload/v1beta/')
        .replace(/^\/v1\/cachedContents/, '/v1beta/cachedContents')
        .replace('/v1beta/auth_tokens', '/v1alpha/auth_tokens')
        .replace(/^\/v1(\/models\/\{model\}:)/, '/v1beta$1')
        .replace(/^\/v1(\/batches\/\{id\}:)/, '/v1beta$1')
        .replace(/^\/dashboard\//, '/v1/dashboard/')
        .replace(/^\/v1(\/models\/\{model\}\/operations\/)/, '/v1beta$1')
        .replace(
          /^\/v1(?:beta1)?(?:\/projects\/\{project\}\/locations\/\{location\})?(\/publishers\/)/,
          '/v1$1',
        )
        .replace(/^\/\{mode\}\/mj\//, '/mj/')
        .replace(/^\/pg\/(?=mj\/|suno\/)/, '/')
        .replace(/^\/pg\/(?!videos\/price$)/, '/v1/');
    // Only Google deletes batches at this path.
    const called = ({ method, path }: (typeof routes)[number]): string =>
      `${method} ${other(method === 'DELETE' ? path.replace(/^\/v1(?=\/batches\/)/, '/v1beta') : path)}`;
    const missing = routes.filter((route) => !described.has(called(route)));
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it.each(relayCalls)('$method $path is answered as the reference says', async (call) => {
    const answer = await sendExample(call, keyHeaders(call));
    expect(answer.status, JSON.stringify(answer.body)).toBe(call.answer.status ?? 200);
    expect(faultOf(call, answer)).toBe('');
  });

  const guarded = relayCalls.filter((call) => accessOf(call) !== 'public');
  it.each(guarded)('$method $path without a key is refused in the shape of its protocol', async (call) => {
    const {
      authorization: _bearer,
      'x-api-key': _key,
      'x-goog-api-key': _google,
      cookie: _cookie,
      ...rest
    } = keyHeaders(call);
    const marked = call.tag === 'gemini' ? { 'x-goog-api-key': '' } : rest;
    const answer = await sendExample(call, marked);
    expect(answer.status).toBe(401);
    expect(faultOf(call, answer)).toBe('');
  });

  it.each(relayCalls.filter(({ streams }) => streams))('$path is streamed on request', async (call) => {
    const request = { ...call.request!, example: { ...call.request!.example, stream: true } };
    const answer = await sendExample({ ...call, request }, keyHeaders(call));
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect(faultOf(call, answer)).toBe('');
  });
});
