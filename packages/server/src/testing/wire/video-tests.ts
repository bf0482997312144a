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

/** One video, its request to the vendor, and the vendor's answer in `fixtures`. */
interface VideoCall {
  name: string;
  request: Partial<VideoRequest>;
  url: string;
  /** A subset of the sent headers. Default: the key as a bearer token. */
  headers?: Readonly<Record<string, string>>;
  /** The complete body, if it is JSON. */
  sent?: JsonObject;
  /** Parts of any other body. */
  parts?: readonly string[];
  facts: VideoFacts;
  answer: string;
  vendorId: string;
}

/** A vendor's answer about a task, and its expected interpretation. */
interface PollAnswer {
  answer: string;
  status?: number;
  update: Partial<TaskUpdate>;
}

/** Expected behaviour of a video provider, with answers from the folder's `fixtures`. */
export interface VideoTests {
  folder: string;
  channel?: Partial<Channel>;
  model: string;
  tools?: Partial<SendTools>;
  videos: readonly VideoCall[];
  /** Address of the task's status. */
  poll: { vendorId: string; url: string; sent?: JsonObject };
  polls: readonly PollAnswer[];
  /** Address of a video's bytes, from the result of the last poll. `key` is the header value with the key, if it is sent. */
  content: { vendorId?: string; result?: JsonObject; url: string; key?: string };
  /** Requests that are rejected before anything is sent, with a part of the error message. */
  refused: readonly (readonly [request: Partial<VideoRequest>, words: string])[];
  /** Failures at submit: the vendor's answer and status, and the resulting status and blame. */
  failures: readonly {
    answer: string | JsonObject;
    status: number;
    shown: number;
    blame: 'caller' | 'channel';
  }[];
}

/** A picture of one pixel. */
export const onePoint =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const picture = { kind: 'data', mediaType: 'image/png', base64: onePoint } as const;
export const address = { kind: 'url', url: 'https://pictures.test/first.png' } as const;

/** A vendor's adapter, a channel for it, and helpers for its requests. */
interface Bench {
  proof: VideoTests;
  vendor: VideoVendor;
  channel: Channel;
  tools: SendTools;
  requestOf: (parts: Partial<VideoRequest>) => VideoRequest;
  taskOf: (parts: Partial<VendorTask>) => VendorTask;
  read: (name: string) => Buffer;
}

/** Checks a video provider against its fixtures: its requests, the interpretation of its answers, and its rejections. */
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

/** Requests with the key for models and tasks that have hostile names, such as host or path changes. */
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

/** The vendor's request; undefined if it rejects such names. */
async function attempt(work: () => TaskQuestion | Promise<TaskQuestion>): Promise<TaskQuestion | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RelayError || error instanceof TypeError) return undefined;
    throw error;
  }
}
