import { describe, expect, test } from 'vitest';
import { inputTokens, outputTokens, type Usage, usageCounters } from '@tollgate/contract';
import {
  buildChannel,
  buildRequest,
  buildTranscription,
  feed,
  relayOptions,
} from '../testing/protocols/build-relay.ts';
import {
  haveRecordings,
  recordedStreams,
  recordedUsage,
  type Recording,
} from '../testing/protocols/recordings.ts';
import { particularsOf, type ProtocolParticulars, sampleRequests } from '../testing/wire/wire-tests.ts';
import { bridge } from './bridge.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { readOpenaiUsage } from './families/openai/index.ts';
import type { AnswerPipe, ProtocolId, RelayRequest, UpstreamCall } from './types/index.ts';
import { protocols } from './protocols.ts';
import { providerOf, providers } from './registry.ts';

const secret = 'test-channel-key';

/**
 * A request that a provider supports in a protocol: the caller's own, or chat if callers cannot use that protocol.
 */
function requestFor(protocol: ProtocolId, { hears }: ProtocolParticulars): RelayRequest {
  if (hears) return buildTranscription(Buffer.from('{}'));
  const asked = protocols[protocol]!.inbound ? protocol : 'openai-chat';
  return buildRequest(asked, sampleRequests[asked]!);
}

/** The model that a body names; undefined without one. */
function modelIn({ body, headers }: UpstreamCall, field = 'model'): unknown {
  const text = body.toString();
  if (headers['content-type'] === 'application/json') return (JSON.parse(text) as JsonObject)[field];
  return /name="model"\r\n\r\n([^\r]*)/.exec(text)?.[1];
}

describe('every provider', () => {
  test('has a number and a folder name of its own, and is found by its number', () => {
    expect(new Set(providers.map(({ type }) => type)).size).toBe(providers.length);
    expect(new Set(providers.map(({ id }) => id)).size).toBe(providers.length);
    for (const provider of providers) expect(providerOf(provider.type)).toBe(provider);
  });

  test.each(providers.map((provider) => [provider.id, provider] as const))(
    '%s is complete',
    (_id, provider) => {
      expect(provider.id).toMatch(/^[a-z][a-z0-9-]*$/);
      const { name, hints } = provider;
      for (const words of [name, hints.key, hints.other, hints.address?.meaning].filter(
        (each) => each != null,
      )) {
        expect(words.en).toMatch(/^[^\p{Script=Han}]+$/u);
        // Brands and key formats are the same in both languages; sentences differ.
        const isSentence = words !== name && /[a-z] [a-z]/.test(words.en);
        const isChinese = /\p{Script=Han}|，/u.test(words.zh);
        expect([provider.id, isChinese || (!isSentence && words.zh === words.en)]).toEqual([
          provider.id,
          true,
        ]);
      }
      expect(provider.baseUrl).toMatch(/^$|^https?:\/\/[^/]+(\/[^/]+)*$/);
      expect(new Set(provider.models).size).toBe(provider.models.length);
      const offered = [...Object.keys(provider.endpoints), ...Object.keys(provider.tasks ?? {})];
      expect(offered.length > 0 || provider.isToolServer === true).toBe(true);
    },
  );

  const calls = providers.flatMap((provider) =>
    Object.values(provider.endpoints).map(
      (endpoint) => [provider.id, endpoint.protocol, provider, endpoint] as const,
    ),
  );
  test.each(calls)(
    '%s makes a call in %s that has the key in its headers alone',
    (_id, protocol, provider, endpoint) => {
      expect(endpoint.protocol).toBe(protocol);
      const { key = secret, keyIsSpent = false, protocols: odd = {} } = particularsOf(provider);
      const particulars = odd[protocol] ?? {};
      const baseUrl = particulars.baseUrl ?? (provider.baseUrl || 'https://own.test/base');
      const channel = buildChannel({ type: provider.type, baseUrl, key });
      const named = `${particulars.family ?? ''}a model/x`;
      const call = bridge(provider, channel, requestFor(protocol, particulars), named, relayOptions);
      expect(new URL(call.url).href.includes(new URL(channel.baseUrl).host)).toBe(!particulars.isElsewhere);
      expect(Object.values(call.headers).some((value) => value.includes(secret))).toBe(!keyIsSpent);
      expect(`${call.url}${call.body.toString()}`).not.toContain(secret);
      const isNamed =
        modelIn(call, particulars.namesModelAs) === named ||
        decodeURIComponent(call.url).includes(`/${named}`);
      expect(isNamed).toBe(!particulars.bringsItsModel);
    },
  );

  test.each(calls)(
    '%s, called in %s, reports malformed answers as failures of the channel',
    (_id, protocol, provider) => {
      const { key = secret, protocols: odd = {} } = particularsOf(provider);
      const particulars = odd[protocol] ?? {};
      const baseUrl = particulars.baseUrl ?? (provider.baseUrl || 'https://own.test');
      const channel = buildChannel({ type: provider.type, baseUrl, key });
      const named = `${particulars.family ?? ''}m`;
      const call = bridge(provider, channel, requestFor(protocol, particulars), named, relayOptions);
      const bad: [string, string][] = [
        ['text/html', '<html><body>welcome</body></html>'],
        ['application/json', '{"id":'],
        ['application/json', ''],
        ['application/json', '[]'],
        ['application/json', '{"ok":true}'],
        ['', '<!doctype html>'],
        ['application/json', '{"error":{"message":"no","type":"t","code":"c"}}'],
      ];
      for (const [contentType, body] of bad) {
        const { end, passed } = feed(call.openPipe(200, contentType), [Buffer.from(body)]);
        expect([body, end.outcome, end.error?.blame, end.tail, passed.length]).toEqual([
          body,
          'error',
          'channel',
          undefined,
          0,
        ]);
      }
    },
  );
});

/** The call that a recording answers; one for all its replays, because they test only the pipes. */
function callFor({ request, protocol }: Recording, wantsUsage: boolean): UpstreamCall {
  const asked = isObject(request) ? request : {};
  const body = { ...asked, stream: true, stream_options: { include_usage: wantsUsage } };
  const model = typeof asked.model === 'string' ? asked.model : 'm';
  return bridge(
    providerOf(1)!,
    buildChannel(),
    buildRequest(protocol as ProtocolId, body),
    model,
    relayOptions,
  );
}
const openRecorded = (recording: Recording, call: UpstreamCall): AnswerPipe =>
  call.openPipe(recording.status, recording.contentType);

const hasUsage = (body: Buffer): boolean => /"usage": ?\{/.test(body.toString());
/** The text of a stream, read with a simple and slow parser. */
function plainText(body: Buffer): string {
  let text = '';
  for (const line of body.toString().split(/\r?\n/)) {
    if (!line.startsWith('data: {')) continue;
    const chunk = JSON.parse(line.slice(6)) as {
      choices?: { delta?: { content?: unknown }; text?: string }[];
    };
    for (const choice of chunk.choices ?? []) {
      const content = choice.delta?.content ?? choice.text;
      if (typeof content === 'string') text += content;
      else if (Array.isArray(content)) {
        for (const part of content) text += (part as { text?: string }).text ?? '';
      }
    }
  }
  return text;
}

/** The stream up to its end marker: the part that counts if a caller disconnects just before the marker. */
function beforeEnd(body: Buffer): Buffer {
  const at = body.lastIndexOf('data: [DONE]');
  return at < 0 ? body : body.subarray(0, at);
}

function cuts(body: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
  return pieces;
}

describe.skipIf(!haveRecordings)(
  'recorded streams (skipped where the recordings are not beside the checkout)',
  () => {
    const recordings = haveRecordings ? recordedStreams('openai-chat', 'openai-completions') : [];
    const counts = new Map<string, { streams: number; usage: number; counted: number; failures: number }>();

    test.each(recordings.map((recording) => [recording.file, recording] as const))(
      '%s',
      (_file, recording) => {
        const { body } = recording;
        const isFailure = recording.end === 'failure';
        const call = callFor(recording, true);
        const whole = feed(openRecorded(recording, call), [body]);
        const all = Buffer.concat([whole.passed, whole.end.tail ?? Buffer.alloc(0)]);
        expect(all.equals(body)).toBe(true);
        expect(whole.end.outcome).toBe(isFailure ? 'error' : 'complete');
        expect(whole.end.usage !== undefined).toBe(hasUsage(body));
        const { text } = feed(openRecorded(recording, call), [beforeEnd(body)], true);
        expect(text.omitted).toBe(0);
        expect(text.output).toContain(plainText(body));

        for (const size of [1, 7, 1_000]) {
          const pieces = feed(openRecorded(recording, call), cuts(body, size));
          const out = Buffer.concat([pieces.passed, pieces.end.tail ?? Buffer.alloc(0)]);
          expect(out.equals(body)).toBe(true);
          expect([pieces.end.outcome, pieces.end.usage]).toEqual([whole.end.outcome, whole.end.usage]);
          expect(feed(openRecorded(recording, call), cuts(beforeEnd(body), size), true).text).toEqual(text);
        }

        const vendor = `${recording.vendor} ${recording.protocol}`;
        const count = counts.get(vendor) ?? { streams: 0, usage: 0, counted: 0, failures: 0 };
        count.streams += 1;
        if (isFailure) count.failures += 1;
        else if (whole.end.usage) count.usage += 1;
        else count.counted += 1;
        counts.set(vendor, count);
      },
    );

    const small = recordings.filter(({ body }) => body.length < 3_600);
    test.each(small.map((recording) => [recording.file, recording] as const))(
      '%s, cut at every byte',
      { tags: ['deep'] },
      (_file, recording) => {
        const call = callFor(recording, true);
        const whole = feed(openRecorded(recording, call), [recording.body]);
        for (let at = 1; at < recording.body.length; at += 1) {
          const pieces = [recording.body.subarray(0, at), recording.body.subarray(at)];
          const cut = feed(openRecorded(recording, call), pieces);
          const out = Buffer.concat([cut.passed, cut.end.tail ?? Buffer.alloc(0)]);
          const same = out.equals(recording.body);
          expect([at, same, cut.end.outcome, cut.end.usage]).toEqual([
            at,
            true,
            whole.end.outcome,
            whole.end.usage,
          ]);
        }
      },
    );

    test.each(recordings.map((recording) => [recording.file, recording] as const))(
      '%s, truncated',
      (_file, recording) => {
        const { body } = recording;
        const isFailure = recording.end === 'failure';
        // A cut before the last event, with a broken connection or a normal close.
        const call = callFor(recording, true);
        for (const part of [0.1, 0.5, 0.9]) {
          const at = Math.floor(body.length * part);
          const torn = feed(openRecorded(recording, call), [body.subarray(0, at)], true);
          expect(torn.end.outcome).toBe('truncated');
          expect(torn.end.tail).toBeUndefined();
          expect(body.subarray(0, torn.passed.length).equals(torn.passed)).toBe(true);
          const seen = body.subarray(0, at).toString();
          const ends = /"finish_reason": ?"/.test(seen) || isFailure;
          const closed = feed(openRecorded(recording, call), [body.subarray(0, at)]);
          expect(ends || closed.end.outcome === 'truncated').toBe(true);
        }
      },
    );

    test.each(recordings.map((recording) => [recording.file, recording] as const))(
      '%s, without the usage that was not requested',
      (_file, recording) => {
        const { passed, end } = feed(
          openRecorded(recording, callFor(recording, false)),
          cuts(recording.body, 333),
        );
        const out = Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]);
        const events = recording.body.toString().split(/(?<=\n\n|\r\n\r\n)/);
        const kept = events.filter(
          (event) => !(/"choices": ?\[\]/.test(event) && hasUsage(Buffer.from(event))),
        );
        expect(out.toString()).toBe(kept.join(''));
        expect(end.usage !== undefined).toBe(hasUsage(recording.body));
      },
    );

    test('every recording was replayed', () => {
      let replayed = 0;
      for (const [vendor, count] of [...counts].toSorted(([a], [b]) => a.localeCompare(b))) {
        replayed += count.streams;
        console.log(
          `replayed ${vendor}: ${count.streams} streams, ${count.usage} with usage, ${count.counted} counted, ${count.failures} failures`,
        );
      }
      expect(replayed).toBe(recordings.length);
    });
  },
);

/** Rows whose own sums contradict each other, each with its reason. The vendor charges their total. */
const total = (usage: Usage): number => inputTokens(usage) + outputTokens(usage);

describe.skipIf(!haveRecordings)('recorded usage objects', () => {
  const rows = haveRecordings ? recordedUsage('openai-chat', 'openai-completions', 'openai-embeddings') : [];

  test('add up to what the vendor reports, and no counter is negative', () => {
    const wrong = rows.flatMap((row) => {
      const usage = readOpenaiUsage(row.usage as JsonObject);
      if (!usage) return [row];
      const negative = usageCounters.some((name) => usage[name] < 0 || !Number.isSafeInteger(usage[name]));
      return negative || total(usage) !== row.usage.total_tokens ? [row] : [];
    });
    expect(wrong).toEqual([]);
    console.log(`usage objects read: ${rows.length}`);
  });
});

test('every protocol is registered under its own name', () => {
  for (const [id, protocol] of Object.entries(protocols)) {
    expect([protocol.id, protocol.inbound?.id ?? id, protocol.outbound.id]).toEqual([id, id, id]);
  }
});
