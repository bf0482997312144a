import { type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import { inPieces, type ModelWire, resultText, schemaOf, thoughtOf, type Turn } from './fake-model-words.ts';
import { chatChunk, delta, doneEvent, event, usageBody } from '../upstream/fake-upstream-wire.ts';

const usage = usageBody(40, 12);

const toolCall = (turn: Extract<Turn, { call: string }>) => ({
  id: 'call_1',
  type: 'function',
  function: { name: turn.call, arguments: JSON.stringify(turn.input) },
});

const head = { role: 'assistant', refusal: null, annotations: [] };

/** A thought in the format of DeepSeek and similar vendors. */
const thought = (turn: Turn) => (thoughtOf(turn) ? { reasoning_content: thoughtOf(turn) } : {});

/** OpenAI Chat Completions. */
export const chatWire: ModelWire = {
  read: (body) => ({
    tools: objectsIn(body.tools).map(({ function: it }) => {
      const { name, parameters } = objectOf(it);
      return { name: textOf(name), schema: schemaOf(parameters) };
    }),
    results: objectsIn(body.messages)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => resultText(content)),
  }),
  whole: (turn, model) =>
    ({
      id: 'chatcmpl-played',
      object: 'chat.completion',
      created: 1_700_000_000,
      model,
      choices: [
        'say' in turn
          ? {
              index: 0,
              message: { ...head, content: turn.say, ...thought(turn) },
              logprobs: null,
              finish_reason: 'stop',
            }
          : {
              index: 0,
              message: { ...head, content: null, tool_calls: [toolCall(turn)] },
              logprobs: null,
              finish_reason: 'tool_calls',
            },
      ],
      usage: turn.usage ?? usage,
    }) as JsonObject,
  stream: (turn, model) => [
    event(chatChunk(model, [delta({ role: 'assistant', content: null })])),
    ...(thoughtOf(turn) ? [event(chatChunk(model, [delta(thought(turn))]))] : []),
    ...('say' in turn
      ? inPieces(turn.say).map((content) => event(chatChunk(model, [delta({ content })])))
      : streamedCall(turn, model)),
    event(chatChunk(model, [delta({}, 'say' in turn ? 'stop' : 'tool_calls')])),
    event(chatChunk(model, [], turn.usage ? (turn.usage as typeof usage) : usage)),
    doneEvent,
  ],
};

function streamedCall(turn: Extract<Turn, { call: string }>, model: string): string[] {
  const { function: it, ...head } = toolCall(turn);
  const piece = (fields: object) =>
    event(chatChunk(model, [delta({ tool_calls: [{ index: 0, ...fields }] })]));
  return [
    piece({ ...head, function: { name: it.name, arguments: '' } }),
    ...inPieces(it.arguments).map((text) => piece({ function: { arguments: text } })),
  ];
}
