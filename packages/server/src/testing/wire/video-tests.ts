import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { videoFactor } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import {
  type Channel,
  keyOriginsOf,
  originOf,
  type Provider,
  RelayError,
  type SendTools,
  type TaskQuestion,
  type TaskUpdate,
  type VendorTask,
  type VideoFacts,
  type VideoRequest,
  type VideoVendor,
} from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { buildChannel } from '../protocols/build-relay.ts';
import { sendTools } from '../protocols/send-tools.ts';

/** One video, how its vendor is asked for it, and the answer in `fixtures` that the vendor gives. */
interface VideoCall {
  name: string;
  request: Partial<VideoRequest>;
  url: string;
  /** Headers that are sent, among others; the key as a bearer where nothing is said. */
  headers?: Readonly<Record<string, string>>;
  /** The body, where it is JSON: all of it. */
  sent?: JsonObject;
  /** Parts of the body, where it is none. */
  parts?: readonly string[];
  facts: VideoFacts;
  answer: string;
  vendorId: string;
}

/** What a vendor tells of a task, and what is understood. */
interface PollAnswer {
  answer: string;
  status?: number;
  update: Partial<TaskUpdate>;
}

/** How a provider videos, by answers in the folder's `fixtures`. */
export interface VideoTests {
  folder: string;
  channel?: Partial<Channel>;
  model: string;
  tools?: Partial<SendTools>;
  videos: readonly VideoCall[];
  /** Where a task is asked for. */
  poll: { vendorId: string; url: string; sent?: JsonObject };
  polls: readonly PollAnswer[];
  /** Where the bytes of a video are, by what the last poll brought; `key` where the question carries the key. */
  content: { vendorId?: string; result?: JsonObject; url: string; key?: string };
  /** What is refused before anything is sent, by a piece of the refusal. */
  refused: readonly (readonly [request: Partial<VideoRequest>, words: string])[];
  /** Failures at submit: the answer, its status, and the status and blame that they have here. */
  failures: readonly {
    answer: string | JsonObject;
    status: number;
    shown: number;
    blame: 'caller' | 'channel';
  }[];
}

/** A picture of one point. */
export const onePoint =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const picture = { kind: 'data', mediaType: 'image/png', base64: onePoint } as const;
export const address = { kind: 'url', url: 'https://pictures.test/first.png' } as const;

/** A vendor's wire, a channel of it, and what its proof asks with. */
interface Bench {
  proof: VideoTests;
  vendor: VideoVendor;
  channel: Channel;
  tools: SendTools;
  requestOf: (parts: Partial<VideoRequest>) => VideoRequest;
  taskOf: (parts: Partial<VendorTask>) => VendorTask;
  read: (name: string) => Buffer;
}

/** Proves by fixtures how a provider is asked for videos, what of its answers is read, and what it refuses. */
export function describeVideo(provider: Provider, proof: VideoTests): void {
  const baseUrl = provider.baseUrl || 'https://own.test';
  const bench: Bench = {
    proof,
    vendor: provider.tasks!.video!,
    channel: buildChannel({ type: provider.type, baseUrl, ...proof.channel }),
    tools: sendTools({
      nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5),
      token: async (_, make) => (await make()).value,
      fetchFile: () => Promise.resolve({ mediaType: 'image/png', base64: onePoint }),
      ...proof.tools,
    }),
    requestOf: (parts) => ({ model: proof.model, prompt: 'a cat', extra: {}, ...parts }),
    taskOf: (parts) => ({ vendorId: '', model: proof.model, result: {}, ...parts }),
    read: (name) => readFileSync(join(proof.folder, 'fixtures', name)),
  };
  describe(`videos of ${provider.id}`, () => {
    proveAsking(bench);
    proveReading(bench);
    proveRefusals(bench);
    test('send the key to no other host, whatever a model or a task is called', async () => {
      const listed = keyOriginsOf(provider, bench.channel);
      for (const asked of await oddQuestions(bench)) expect(listed).toContain(originOf(asked.url));
    });
  });
}

function proveAsking({ proof, vendor, channel, tools, requestOf, taskOf, read }: Bench): void {
  test.each(proof.videos)('are requested: $name', async (video) => {
    const request = requestOf(video.request);
    expect(vendor.refuses?.(request)).toBeUndefined();
    expectAsked(await vendor.submit(request, channel, tools), video);
    expect(vendor.facts(request)).toEqual(video.facts);
    expect(videoFactor(request.model, video.facts)).toBeGreaterThan(0);
    const accepted = vendor.readSubmit(200, read(video.answer), request);
    if (accepted instanceof RelayError) throw accepted;
    expect(accepted.vendorId).toBe(video.vendorId);
    expect(['submitted', 'queued', 'in_progress']).toContain(accepted.update.state);
  });

  test('are polled where they are made', async () => {
    const { url, body } = await vendor.poll(taskOf({ vendorId: proof.poll.vendorId }), channel, tools);
    expect(url).toBe(proof.poll.url);
    expect(body ? JSON.parse(body.toString()) : undefined).toEqual(proof.poll.sent);
  });

  test('are fetched from where they are', async () => {
    const { vendorId = '', result = {}, url, key } = proof.content;
    const asked = await vendor.content(taskOf({ vendorId, result }), channel, tools);
    expect([asked.method, asked.url]).toEqual(['GET', url]);
    expect(Object.values(asked.headers).find((value) => value.includes('test-channel-key'))).toBe(key);
  });
}

function proveReading({ proof, vendor, requestOf, read }: Bench): void {
  test.each(proof.polls)('have their answers read: $answer', ({ answer, status = 200, update }) => {
    expect(vendor.readPoll(status, read(answer))).toMatchObject(update);
  });

  test('are neither begun nor ended by an invalid answer', () => {
    const failure = expect.any(RelayError);
    for (const body of ['', '{', '[]', '{}', '<html></html>', '{"data":7}']) {
      for (const status of [200, 500, 503]) {
        const bytes = Buffer.from(body);
        expect([body, vendor.readSubmit(status, bytes, requestOf({}))]).toEqual([body, failure]);
        expect([body, vendor.readPoll(status, bytes)]).toEqual([body, failure]);
      }
    }
  });
}

function proveRefusals({ proof, vendor, requestOf, read }: Bench): void {
  test.each(proof.refused)('of %j are refused by name: %s', (parts, words) => {
    const refusal = vendor.refuses?.(requestOf(parts));
    expect(refusal?.in('en').message).toContain(words);
    expect(refusal?.status).toBe(400);
  });

  test.each(proof.failures)('that are refused are failures: $answer', ({ answer, status, shown, blame }) => {
    const body = typeof answer === 'string' ? read(answer) : Buffer.from(JSON.stringify(answer));
    expect(vendor.readSubmit(status, body, requestOf({}))).toMatchObject({ status: shown, blame });
  });
}

/** What is asked with the key for models and tasks whose names would leave their place, if they could. */
async function oddQuestions({ vendor, channel, tools, requestOf, taskOf }: Bench): Promise<TaskQuestion[]> {
  const odd = ['@evil.test', '.evil.test/', '//evil.test', '#', '../../x', 'a/b?c=d'];
  const attempts = odd.flatMap((name) => [
    attempt(() => vendor.submit(requestOf({ model: name, remixOf: name }), channel, tools)),
    attempt(() => vendor.submit(requestOf({ model: name }), channel, tools)),
    attempt(() => vendor.poll(taskOf({ vendorId: name, model: name }), channel, tools)),
    attempt(() =>
      vendor.content(taskOf({ vendorId: name, result: { url: `https://${name}` } }), channel, tools),
    ),
  ]);
  const asked = await Promise.all(attempts);
  return asked.filter((each): each is TaskQuestion => each !== undefined && carriesKey(each));
}

function expectAsked(asked: TaskQuestion, { url, headers, sent, parts = [] }: VideoCall): void {
  expect([asked.method, asked.url]).toEqual(['POST', url]);
  expect(asked.headers).toMatchObject(headers ?? { authorization: 'Bearer test-channel-key' });
  const body = asked.body?.toString() ?? '';
  expect(sent ? JSON.parse(body) : undefined).toEqual(sent);
  for (const part of parts) expect(body).toContain(part);
}

const carriesKey = ({ headers }: TaskQuestion): boolean =>
  Object.keys(headers).some((name) => /^(?:authorization|api-key|x-goog-api-key)$/.test(name));

/** What a vendor answers, where it takes such names at all. */
async function attempt(work: () => TaskQuestion | Promise<TaskQuestion>): Promise<TaskQuestion | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RelayError || error instanceof TypeError) return undefined;
    throw error;
  }
}
