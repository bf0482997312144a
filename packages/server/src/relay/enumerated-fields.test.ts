import { inputTokens, outputTokens } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import type { Json } from '../lib/json.ts';
import { answerOn, modelScenes, turns } from '../testing/model/model-scenes.ts';
import { feed } from '../testing/protocols/build-relay.ts';
import { answersOf, callFor, type FixtureAnswer } from '../testing/wire/fixture-answers.ts';
import { providers } from './registry.ts';
import type { ProtocolId, UpstreamCall } from './types/index.ts';

// Values that vendors use for kinds, roles, states and reasons. A vendor may leave one empty or invent one: the text,
// calls and cost of the answer are read all the same.

const enumerated =
  /^(type|object|role|status|event|(finish|stop|done)_reason|(stop|finish|block|Finish)Reason|Role|Type)$/;
/** Only finish reasons end the streams of some vendors; without them such a stream is cut. */
const ends = new Set(['finish_reason', 'finishReason', 'FinishReason']);
const values = {
  '""': '',
  null: null,
  nothing: undefined,
  'an unknown word': 'unheard_of',
  'a word of every object': 'constructor',
};

type Edit = { key: string; from: string; to: string };

/** The JSON objects of a stream, or the single object of a whole answer. */
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

/** Changes that lose a part of the answer. */
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

  test.each(modelScenes(callers))('of %s, asked in %s, %s', (_name, _caller, _how, scene) => {
    for (const [what, turn] of Object.entries(turns))
      expect([what, ...losses(scene.call, { name: what, ...answerOn(scene, turn) })]).toEqual([what]);
  });

  test('of thoughts that Responses tell whole, and not their summary', () => {
    const [scene] = modelScenes(['openai-responses']).flatMap(([wire, , how, each]) =>
      wire === 'Responses' && how === 'streamed' ? [each] : [],
    );
    const { bytes, contentType } = answerOn(scene!, turns.words!);
    const told = bytes.toString().replaceAll('reasoning_summary_text', 'reasoning_text');
    const whole = Buffer.from(told.replaceAll('"summary_index"', '"content_index"'));
    expect(losses(scene!.call, { name: 'thoughts', contentType, bytes: whole })).toEqual([]);
  });
});
