import { afterAll, describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../testing/protocols/build-relay.ts';
import { cuts, readStream, contentOf } from '../testing/protocols/codec-bench.ts';
import { haveRecordings, judgedRecordings } from '../testing/protocols/recordings.ts';
import { bridge } from './bridge.ts';
import { isObject, type JsonObject } from '../lib/json.ts';
import { type ProtocolId, type Provider, type UpstreamCall, RelayError } from './types/index.ts';
import { callerProtocol, protocols } from './protocols.ts';
import { providerOf } from './registry.ts';

// The result of each recording, as a table of vendors and protocols. The other suites test in more depth, with the
// vendors' own clients; this one shows that no recording is missing.

const user = 'Hello';
/** The smallest valid request in each protocol of callers. */
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

/** A vendor for each protocol with recordings of upstreams. */
const vendors: Partial<Record<ProtocolId, number>> = {
  'openai-chat': 1,
  'openai-completions': 1,
  'openai-responses': 1,
  'anthropic-messages': 14,
  gemini: 24,
  'bedrock-converse': 33,
  'cohere-chat': 34,
};

/** The vendor with only that protocol, so that requests in all others are translated. */
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
  translated: number;
  requestsTranslated: number;
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
    translated: 0,
    requestsTranslated: 0,
    requestsRefused: 0,
  };
  rows.set(name, row);
  return row;
};

type Judged = ReturnType<typeof judgedRecordings>[number];

/** Callers of the same protocol get the same bytes. */
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

/** Some protocols have their own parts for code that a vendor ran; the others have fenced text. */
const words = (text: string): string => text.replace(/\n```\w*\n[^`]*```\n/g, '').trim();

/** Result for callers of another protocol: the end of the stream, its text and its calls. */
function translatedTo(caller: (typeof callers)[number], recording: Judged, protocol: ProtocolId) {
  const pipe = callBy(caller, protocol, questions[caller]).openPipe(200, recording.contentType);
  const { passed, end } = feed(pipe, cuts(recording.body, 1_000));
  const stream = Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]);
  const { text, tools } = contentOf(readStream(callerProtocol(caller)!.codec!, [stream]));
  return { outcome: end.outcome, text: words(text), tools: tools.map(([, name]) => name) };
}

/** Translates a recorded request into another protocol. Returns the reason of a refusal, and '' otherwise. */
function translateRequest(request: JsonObject, from: ProtocolId, to: ProtocolId): string {
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

type Shown = Judged & { protocol: ProtocolId; isFailure: boolean };
const recordings = judgedRecordings();
const shown: Shown[] = recordings.flatMap((recording) =>
  'protocol' in recording.kind && recording.kind.end !== 'cut'
    ? [{ ...recording, protocol: recording.kind.protocol, isFailure: recording.kind.end === 'failure' }]
    : [],
);
const named = (list: readonly Shown[]) => list.map((recording) => [recording.file, recording] as const);
const ofCallers = shown.filter(({ protocol }) => callerProtocol(protocol));
const ofChats = shown.filter(({ protocol }) => protocols[protocol]?.codec);
const withRequest = ofCallers.filter(
  ({ protocol, request }) => protocols[protocol]?.codec && isObject(request),
);

describe.skipIf(!haveRecordings)('every recording (skipped without the recordings)', () => {
  test('tests something of a relay, or is left out for a listed reason', () => {
    for (const { vendor, kind } of recordings) {
      const reason = 'leftOut' in kind ? kind.leftOut : kind.end === 'cut' ? 'cut before its end' : '';
      if (reason !== '') count(left, `${vendor}: ${reason}`);
    }
    expect([...left.keys()].filter((reason) => reason.includes('nothing is known'))).toEqual([]);
    for (const { vendor, protocol, isFailure } of shown) {
      const row = rowOf(vendor, protocol);
      row.streams += 1;
      if (isFailure) row.failures += 1;
    }
  });

  test.each(named(ofCallers))('%s passes byte for byte', (_file, recording) => {
    expect(passes(recording, recording.protocol)).toBe(true);
    rowOf(recording.vendor, recording.protocol).passed += 1;
  });

  test.each(named(ofChats))('%s gives the same answer in every other protocol', (_file, recording) => {
    const { protocol, isFailure, vendor } = recording;
    const others = callers.filter((caller) => caller !== protocol);
    const read = others.map((caller) => translatedTo(caller, recording, protocol));
    const outcome = isFailure ? 'error' : 'complete';
    expect(read).toEqual(others.map(() => ({ ...read[0], outcome })));
    rowOf(vendor, protocol).translated += read.length;
  });

  test.each(named(withRequest))('%s: its request is translated, or refused by name', (_file, recording) => {
    const { protocol, request, vendor } = recording;
    const row = rowOf(vendor, protocol);
    for (const other of callers.filter((caller) => caller !== protocol)) {
      const refusal = translateRequest(request as JsonObject, protocol, other);
      expect(refusal).toMatch(/^$|in which .+ cannot be said$/);
      if (refusal === '') row.requestsTranslated += 1;
      else row.requestsRefused += 1;
      if (refusal !== '') count(refused, `${vendor}: ${refusal}`);
    }
  });

  afterAll(() => {
    const lines = [...rows]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(
        ([name, row]) =>
          `| ${name} | ${row.streams} | ${row.failures} | ${row.passed} | ${row.translated} | ${row.requestsTranslated} | ${row.requestsRefused} |`,
      );
    const head =
      '| vendor | protocol | streams | of them failures | passed byte for byte | told in other protocols | requests told | refused |\n' +
      '| --- | --- | --- | --- | --- | --- | --- | --- |';
    const reasons = [
      ...[...left].map(([reason, times]) => `left out: ${times} × ${reason}`),
      ...[...refused].map(([reason, times]) => `refused: ${times} × ${reason}`),
    ];
    console.log([head, ...lines, ...reasons].join('\n'));
  });
});
