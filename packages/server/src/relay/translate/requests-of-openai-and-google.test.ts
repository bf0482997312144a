import { describe, expect, test } from 'vitest';
import { haveRecordings, recordedStreams } from '../../testing/protocols/recordings.ts';
import { essence } from '../../testing/protocols/request-essence.ts';
import { translated } from '../../testing/protocols/translate-request.ts';
import { type ChatCodec, type ProtocolId, RelayError } from '../types/index.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { callerProtocol } from '../protocols.ts';
import { cleanSchema } from '../protocols/gemini/schema.ts';

const codecOf = (id: ProtocolId): ChatCodec => callerProtocol(id)!.codec!;
const protocols = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini'] as const;
type Protocol = (typeof protocols)[number];

/** Recordings of a protocol; the path of Gemini's calls has the parts that the body lacks. */
const recorded: readonly (readonly [string, Protocol, JsonObject])[] = protocols.flatMap((protocol) =>
  (haveRecordings ? recordedStreams(protocol) : []).flatMap(({ file, request }) => {
    if (!isObject(request)) return [];
    const body = protocol === 'gemini' ? { ...request, model: 'gemini-2.5-pro', stream: true } : request;
    return [[file, protocol, body] as const];
  }),
);

/** A translated body, as its own endpoint would read it. */
const asSent = (protocol: Protocol, body: JsonObject): JsonObject =>
  protocol === 'gemini' ? { ...body, model: 'm', stream: true } : body;

interface Essence {
  turns: unknown[];
  tools: [string, string | undefined, JsonObject][];
}

/** The part of a request that Gemini's narrower schemas preserve. */
function essenceOf(protocol: Protocol, body: JsonObject): Essence {
  const content = essence(codecOf(protocol).readRequest!(body)) as Essence;
  const tools = content.tools.map(([name, description, schema]) => {
    const { required, ...cleaned } = cleanSchema(schema);
    const needs = Array.isArray(required) && required.length > 0 ? { required } : {};
    const words = description === '' ? undefined : description;
    return [name, words, { properties: {}, ...cleaned, ...needs }] satisfies Essence['tools'][number];
  });
  return { ...content, tools };
}

/** Translates there and back; a refusal names the part that the other protocol does not support. */
function thereAndBack(
  from: Protocol,
  to: Protocol,
  request: JsonObject,
): { there: unknown; back: unknown } | string {
  try {
    const there = asSent(to, translated(codecOf(from), codecOf(to), request).body);
    const back = asSent(from, translated(codecOf(to), codecOf(from), there).body);
    return {
      there: essenceOf(to, there),
      back: essenceOf(from, back),
    };
  } catch (error) {
    if (error instanceof RelayError && error.code === 'cannot_translate') return error.message;
    throw error;
  }
}

/** Only these have a meaning that is limited to OpenAI's or Google's own servers. */
const refusals = [/previous_response_id/, /conversation/, /tool_search_(call|output)/, /compaction/];

/** True if the refusal names a vendor tool of the request; relay/hosted-tools.test.ts lists the refused tools. */
const namesTool = (refusal: string, from: Protocol, request: JsonObject): boolean =>
  (callerProtocol(from)!.inbound.readFacts(request, { byteLength: 0, charLength: 0 }).hostedTools ?? []).some(
    ({ type }) => refusal.includes(`the tool ${type} cannot`),
  );

describe.skipIf(!haveRecordings)('recorded requests (skipped without the recordings)', () => {
  const pairs = recorded.flatMap(([file, from, request]) =>
    protocols
      // Translations between chat and Messages are in requests-recorded.test.ts.
      .filter(
        (to) => to !== from && [from, to].some((each) => each === 'gemini' || each === 'openai-responses'),
      )
      .map((to) => [file, from, to, request] as const),
  );
  const refused = new Map<string, number>();

  test.each(pairs)('%s (%s), translated to %s and back, is the same request', (_file, from, to, request) => {
    const content = thereAndBack(from, to, request);
    if (typeof content === 'string') refused.set(content, (refused.get(content) ?? 0) + 1);
    const wanted = essenceOf(from, request);
    const isRefused =
      typeof content === 'string' &&
      (refusals.some((reason) => reason.test(content)) || namesTool(content, from, request));
    expect(isRefused ? { there: wanted, back: wanted } : content).toEqual({ there: wanted, back: wanted });
  });

  test('every refusal has a reason', () => {
    for (const [reason, count] of refused) console.log(`refused ${count} times: ${reason}`);
    expect(pairs.length).toBeGreaterThan(100);
  });
});
