import { type JsonObject, objectsIn, textOf } from '../../lib/json.ts';
import { chatWire } from './fake-model-chat.ts';
import { inPieces, type ModelWire, thoughtOf, type Turn } from './fake-model-words.ts';

const usage = { billed_units: { input_tokens: 40, output_tokens: 12 } };

const callOf = ({ call, input }: Extract<Turn, { call: string }>): JsonObject => ({
  id: `${call}_1`,
  type: 'function',
  function: { name: call, arguments: JSON.stringify(input) },
});

const reasonOf = (turn: Turn): string => ('say' in turn ? 'COMPLETE' : 'TOOL_CALL');

const thoughts = (turn: Turn): JsonObject[] =>
  thoughtOf(turn) ? [{ type: 'thinking', thinking: thoughtOf(turn) }] : [];

/** Events of one content block: start, delta and end. */
function block(index: number, content: JsonObject): JsonObject[] {
  const { type } = content;
  const name = textOf(type);
  const part = (kind: string, fields: JsonObject) => ({
    type: kind,
    index,
    delta: { message: { content: fields } },
  });
  return [
    part('content-start', { type: name, [name]: '' }),
    ...inPieces(textOf(content[name])).map((piece) => part('content-delta', { [name]: piece })),
    { type: 'content-end', index },
  ];
}

function called(turn: Extract<Turn, { call: string }>): JsonObject[] {
  const { id, type } = callOf(turn);
  const part = (kind: string, fields: JsonObject) => ({
    type: kind,
    index: 0,
    delta: { message: { tool_calls: fields } },
  });
  return [
    part('tool-call-start', { id: id!, type: type!, function: { name: turn.call, arguments: '' } }),
    ...inPieces(JSON.stringify(turn.input)).map((piece) =>
      part('tool-call-delta', { function: { arguments: piece } }),
    ),
    { type: 'tool-call-end', index: 0 },
  ];
}

const spoken = (turn: Extract<Turn, { say: string }>): JsonObject[] => [
  ...thoughts(turn),
  { type: 'text', text: turn.say },
];

/** Cohere's chat API, version 2. */
export const cohereWire: ModelWire = {
  read: (body) => ({
    tools: chatWire.read(body).tools,
    // Results are citable documents.
    results: objectsIn(body.messages)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => JSON.stringify(content)),
  }),
  whole: (turn) => ({
    id: 'played',
    finish_reason: reasonOf(turn),
    message: {
      role: 'assistant',
      ...('say' in turn ? { content: spoken(turn) } : { tool_calls: [callOf(turn)] }),
    },
    usage,
  }),
  stream: (turn) =>
    [
      { type: 'message-start', id: 'played', delta: { message: { role: 'assistant' } } },
      ...('say' in turn ? spoken(turn).flatMap((content, index) => block(index, content)) : called(turn)),
      { type: 'message-end', delta: { finish_reason: reasonOf(turn), usage } },
    ].map((data) => `event: ${data.type as string}\ndata: ${JSON.stringify(data)}\n\n`),
};
