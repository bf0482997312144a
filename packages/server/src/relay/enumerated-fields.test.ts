import { inputTokens, outputTokens } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import type { Json } from '../lib/json.ts';
import { chatWire } from '../testing/model/fake-model-chat.ts';
import { cohereWire } from '../testing/model/fake-model-cohere.ts';
import { ernieWire } from '../testing/model/fake-model-ernie.ts';
import { geminiWire } from '../testing/model/fake-model-gemini.ts';
import { hunyuanWire } from '../testing/model/fake-model-hunyuan.ts';
import { messagesWire } from '../testing/model/fake-model-messages.ts';
import { codexWire, responsesWire } from '../testing/model/fake-model-responses.ts';
import type { ModelWire, Turn } from '../testing/model/fake-model-words.ts';
import { feed } from '../testing/protocols/build-relay.ts';
import { answersOf, callFor, type FixtureAnswer } from '../testing/wire/fixture-answers.ts';
import { providerOf, providers } from './registry.ts';
import type { ProtocolId, UpstreamCall } from './types/index.ts';

// Words by which vendors name kinds, roles, states and reasons. A vendor may leave one empty, or invent one: what the
// answer says, calls and costs is read all the same.

const enumerated =
  /^(type|object|role|status|event|(finish|stop|done)_reason|(stop|finish|block|Finish)Reason|Role|Type)$/;
/** Reasons alone end the streams of some vendors; without them such a stream is cut. */
const ends = new Set(['finish_reason', 'finishReason', 'FinishReason']);
const values = { '""': '', null: null, nothing: undefined, 'an unknown word': 'unheard_of' };

type Edit = { key: string; from: string; to: string };

/** The JSON objects of a stream, or the one of a whole answer. */
const objectsOf = (text: string): string[] =>
  text.trimStart().startsWith('{') && !text.trim().includes('\n{')
    ? [text]
    : [...text.matchAll(/^(?:data: ?)?(\{.*\})\r?$/gm)].map((line) => line[1]!);

/** Every change of one enumerated field of an answer. */
function editsOf(text: string): Edit[] {
  return objectsOf(text).flatMap((from) => {
    const edits: Edit[] = [];
    const body = JSON.parse(from) as Json;
    const walk = (value: Json): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, each] of Object.entries(value)) {
        const holder = value as Record<string, Json | undefined>;
        if (enumerated.test(key) && (each === null || typeof each === 'string')) {
          for (const other of Object.values(values)) {
            holder[key] = other;
            edits.push({ key, from, to: JSON.stringify(body) });
          }
          holder[key] = each;
        } else walk(each as Json);
      }
    };
    walk(body);
    return edits;
  });
}

function read(call: UpstreamCall, { contentType, bytes }: FixtureAnswer) {
  const { end, text } = feed(call.openPipe(200, contentType), [bytes]);
  const tokens = end.usage && inputTokens(end.usage) + outputTokens(end.usage);
  const { output, reasoning, toolCalls } = text;
  return { outcome: end.outcome, said: { output, reasoning, toolCalls, tokens } };
}

/** The changes that lose something. */
function losses(call: UpstreamCall, answer: FixtureAnswer): string[] {
  const text = answer.bytes.toString();
  const whole = read(call, answer);
  if (whole.outcome !== 'complete') return [];
  return editsOf(text).flatMap(({ key, from, to }) => {
    const { outcome, said } = read(call, { ...answer, bytes: Buffer.from(text.replace(from, () => to)) });
    const isKept = JSON.stringify(said) === JSON.stringify(whole.said);
    if (outcome === 'complete' ? isKept : ends.has(key)) return [];
    return [`${outcome} ${to} ${JSON.stringify(said)}`];
  });
}

const callers: readonly ProtocolId[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

describe('an enumerated field without a word, or with an unknown one, loses nothing', () => {
  const recorded = providers.filter((provider) => answersOf(provider).length > 0);
  test.each(recorded.map((provider) => [provider.id, provider] as const))('of %s', (_id, provider) => {
    for (const caller of callers)
      for (const stream of [true, false]) {
        const call = callFor(provider, caller, stream);
        for (const answer of call ? answersOf(provider) : [])
          expect([caller, answer.name, ...losses(call!, answer)]).toEqual([caller, answer.name]);
      }
  });

  const turns: Readonly<Record<string, Turn>> = {
    words: { say: 'The quick brown fox jumps.', thought: 'A fox, then.' },
    'a call': { call: 'weather', input: { city: '上海', days: 3 } },
  };
  const wires: readonly [string, ModelWire, type: number][] = [
    ['chat', chatWire, 1],
    ['Messages', messagesWire, 14],
    ['Responses', responsesWire, 1],
    ['Codex', codexWire, 57],
    ['Gemini', geminiWire, 24],
    ['Cohere', cohereWire, 34],
    ['ERNIE', ernieWire, 15],
    ['Hunyuan', hunyuanWire, 23],
  ];
  const scenes = wires.flatMap(([name, wire, type]) =>
    callers.flatMap((caller) =>
      [true, false].flatMap((stream) => {
        const call = callFor(providerOf(type)!, caller, stream);
        // Codex answers in streams alone.
        return call && (stream || wire !== codexWire)
          ? [[name, caller, stream ? 'streamed' : 'whole', wire, stream, call] as const]
          : [];
      }),
    ),
  );
  test.each(scenes)('of %s, asked in %s, %s', (_name, _caller, _how, wire, stream, call) => {
    for (const [what, turn] of Object.entries(turns)) {
      const bytes = stream
        ? Buffer.concat(wire.stream(turn, 'm').map((piece) => Buffer.from(piece)))
        : Buffer.from(JSON.stringify(wire.whole(turn, 'm')));
      const contentType = stream ? 'text/event-stream' : 'application/json';
      expect([what, ...losses(call, { name: what, contentType, bytes })]).toEqual([what]);
    }
  });
});
