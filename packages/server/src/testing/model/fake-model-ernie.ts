import { type JsonObject, objectsIn, textOf } from '../../lib/json.ts';
import { event } from '../upstream/fake-upstream-wire.ts';
import { inPieces, type ModelWire, resultText, schemaOf, type Turn } from './fake-model-words.ts';

const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };

const answer = (fields: JsonObject): JsonObject => ({
  id: 'as-bcmt5ct4iy',
  object: 'chat.completion',
  created: 1_680_167_072,
  is_truncated: false,
  need_clear_history: false,
  finish_reason: 'normal',
  usage,
  ...fields,
});

/** A complete call with its thought. */
const called = ({ call, input }: Extract<Turn, { call: string }>): JsonObject => ({
  result: '',
  finish_reason: 'function_call',
  function_call: { name: call, arguments: JSON.stringify(input), thoughts: 'I have to look.' },
});

/** Baidu's first API: one function call per answer. The last event has `is_end` set. */
export const ernieWire: ModelWire = {
  read: (body) => ({
    tools: objectsIn(body.functions).map(({ name, parameters }) => ({
      name: textOf(name),
      schema: schemaOf(parameters),
    })),
    results: objectsIn(body.messages)
      .filter(({ role }) => role === 'function')
      .map(({ content }) => resultText(content)),
  }),
  whole: (turn) => answer('say' in turn ? { result: turn.say } : called(turn)),
  stream(turn) {
    const pieces = 'say' in turn ? inPieces(turn.say).map((result) => ({ result })) : [called(turn)];
    const last = pieces.length - 1;
    return pieces.map((fields, index) =>
      event(answer({ ...fields, sentence_id: index, is_end: index === last })),
    );
  },
};
