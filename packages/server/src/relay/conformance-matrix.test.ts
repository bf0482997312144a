import { afterAll, describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../testing/build-relay.ts';
import { cuts, readStream, said } from '../testing/codec-bench.ts';
import { haveRecordings, judgedRecordings } from '../testing/recordings.ts';
import { bridge } from './bridge.ts';
import { isObject, type JsonObject } from './model/json.ts';
import type { ProtocolId } from './model/protocol.ts';
import type { Provider, UpstreamCall } from './model/provider.ts';
import { RelayError } from './model/relay-error.ts';
import { callerProtocol, protocols } from './protocols.ts';
import { providerOf } from './registry.ts';

// What became of each recording, as a table of vendors and languages. The other suites look deeper, with the vendors' own
// clients; this one shows that none was forgotten.

const user = 'Hello';
/** The least that one can ask in each language of callers. */
const questions = {
  'openai-chat': {
    messages: [{ role: 'user', content: user }],
    stream: true,
    stream_options: { include_usage: true },
  },
  'openai-responses': { input: user, stream: true },
  'anthropic-messages': { messages: [{ role: 'user', content: user }], max_tokens: 9, stream: true },
  gemini: { contents: [{ role: 'user', parts: [{ text: user }] }], stream: true },
} as const satisfies Partial<Record<ProtocolId, JsonObject>>;
const callers = Object.keys(questions) as (keyof typeof questions)[];

/** A vendor of each language that upstreams were recorded in. */
const vendors: Partial<Record<ProtocolId, number>> = {
  'openai-chat': 1,
  'openai-completions': 1,
  'openai-responses': 1,
  'anthropic-messages': 14,
  gemini: 24,
  'bedrock-converse': 33,
  'cohere-chat': 34,
};

/** The vendor with that language alone, so that whoever speaks another one is translated to it. */
function speaking(protocol: ProtocolId): Provider {
  const provider = providerOf(vendors[protocol]!)!;
  const endpoint = provider.endpoints[protocol]!;
  return { ...provider, endpoints: { [protocol]: { ...endpoint, serves: () => true } } };
}

const channel = buildChannel({ key: 'AKIDEXAMPLE|a-secret-key|us-east-1' });

const callBy = (caller: ProtocolId, upstream: ProtocolId, question: JsonObject): UpstreamCall =>
  bridge(speaking(upstream), channel, buildRequest(caller, { model: 'm', ...question }), 'm', relayOptions);

interface Row {
  streams: number;
  failures: number;
  passed: number;
  told: number;
  requestsTold: number;
  requestsRefused: number;
}
const rows = new Map<string, Row>();
const left = new Map<string, number>();
const refused = new Map<string, number>();
const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
const rowOf = (vendor: string, protocol: string): Row => {
  const name = `${vendor} | ${protocol}`;
  const row = rows.get(name) ?? {
    streams: 0,
    failures: 0,
    passed: 0,
    told: 0,
    requestsTold: 0,
    requestsRefused: 0,
  };
  rows.set(name, row);
  return row;
};

type Judged = ReturnType<typeof judgedRecordings>[number];

/** To callers of its own language the bytes are the same. */
function passes(recording: Judged, protocol: ProtocolId): boolean {
  const question = questions[protocol as keyof typeof questions] ?? {
    prompt: user,
    stream: true,
    stream_options: { include_usage: true },
  };
  const pipe = callBy(protocol, protocol, question).openPipe(200, recording.contentType);
  const { passed, end } = feed(pipe, cuts(recording.body, 1_000));
  return Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).equals(recording.body);
}

/** Code that a vendor ran has parts of its own in some languages, and is fenced text in the others. */
const words = (text: string): string => text.replace(/\n```\w*\n[^`]*```\n/g, '').trim();

/** What callers of another language read: the end of the stream, its text and its calls. */
function toldTo(caller: (typeof callers)[number], recording: Judged, protocol: ProtocolId) {
  const pipe = callBy(caller, protocol, questions[caller]).openPipe(200, recording.contentType);
  const { passed, end } = feed(pipe, cuts(recording.body, 1_000));
  const stream = Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]);
  const { text, tools } = said(readStream(callerProtocol(caller)!.codec!, [stream]));
  return { outcome: end.outcome, text: words(text), tools: tools.map(([, name]) => name) };
}

/** Tells a recorded request in another language; answers the reason where it is refused, and '' where it is told. */
function tell(request: JsonObject, from: ProtocolId, to: ProtocolId): string {
  const context = { model: 'm', files: new Map(), readsReasoning: true, drop: () => undefined };
  try {
    const neutral = callerProtocol(from)!.codec!.readRequest!(request);
    expect(isObject(protocols[to]!.codec!.writeRequest!(neutral, context))).toBe(true);
    return '';
  } catch (error) {
    if (error instanceof RelayError && error.code === 'cannot_translate') return error.message;
    throw error;
  }
}

const recordings = judgedRecordings();

describe.skipIf(!haveRecordings)('every recording (skipped without the recordings)', () => {
  test.each(recordings.map((recording) => [recording.file, recording] as const))('%s', (_file, recording) => {
    const { kind, vendor, request } = recording;
    if ('leftOut' in kind || kind.end === 'cut') {
      const reason = 'leftOut' in kind ? kind.leftOut : 'cut before its end';
      count(left, `${vendor}: ${reason}`);
      expect(reason).not.toMatch(/^nothing is known/);
      return;
    }
    const { protocol, end } = kind;
    const row = rowOf(vendor, protocol);
    row.streams += 1;
    if (end === 'failure') row.failures += 1;
    if (callerProtocol(protocol)) {
      expect(passes(recording, protocol)).toBe(true);
      row.passed += 1;
    }
    if (!protocols[protocol]?.codec) return;
    const others = callers.filter((caller) => caller !== protocol);
    const read = others.map((caller) => toldTo(caller, recording, protocol));
    expect(read).toEqual(
      others.map(() => ({ ...read[0], outcome: end === 'failure' ? 'error' : 'complete' })),
    );
    row.told += read.length;
    if (!isObject(request) || !callerProtocol(protocol)) return;
    for (const other of others) {
      const refusal = tell(request, protocol, other);
      if (refusal === '') row.requestsTold += 1;
      else row.requestsRefused += 1;
      if (refusal !== '') count(refused, `${vendor}: ${refusal}`);
    }
  });

  test('a language of callers is asked for in each of the others', () => {
    expect(callers.every((caller) => callerProtocol(caller) !== undefined)).toBe(true);
  });

  afterAll(() => {
    const lines = [...rows]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(
        ([name, row]) =>
          `| ${name} | ${row.streams} | ${row.failures} | ${row.passed} | ${row.told} | ${row.requestsTold} | ${row.requestsRefused} |`,
      );
    const head =
      '| vendor | language | streams | of them failures | passed byte for byte | told in other languages | requests told | refused |\n' +
      '| --- | --- | --- | --- | --- | --- | --- | --- |';
    const reasons = [
      ...[...left].map(([reason, times]) => `left out: ${times} × ${reason}`),
      ...[...refused].map(([reason, times]) => `refused: ${times} × ${reason}`),
    ];
    console.log([head, ...lines, ...reasons].join('\n'));
  });
});
