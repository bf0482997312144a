import { type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import { awsStream, converseFrame } from '../protocols/aws-frames.ts';
import { inPieces, type ModelWire, resultText, schemaOf, thoughtOf, type Turn } from './fake-model-words.ts';

const usage = { inputTokens: 40, outputTokens: 12, totalTokens: 52 };

const reasonOf = (turn: Turn): string => ('say' in turn ? 'end_turn' : 'tool_use');

const useOf = ({ call }: Extract<Turn, { call: string }>): JsonObject => ({
  toolUseId: 'tooluse_1',
  name: call,
});

function thoughtFrames(turn: Turn): Buffer[] {
  if (!thoughtOf(turn)) return [];
  const delta = (fields: JsonObject) =>
    converseFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: fields } });
  return [
    ...inPieces(thoughtOf(turn)).map((text) => delta({ text })),
    delta({ signature: 'c2lnbmVk' }),
    converseFrame('contentBlockStop', { contentBlockIndex: 0 }),
  ];
}

/** Frames of the text or of the call. Text blocks begin with their first piece. */
function blockFrames(turn: Turn, contentBlockIndex: number): Buffer[] {
  const delta = (fields: JsonObject) =>
    converseFrame('contentBlockDelta', { contentBlockIndex, delta: fields });
  const pieces =
    'say' in turn
      ? inPieces(turn.say).map((text) => delta({ text }))
      : [
          converseFrame('contentBlockStart', { contentBlockIndex, start: { toolUse: useOf(turn) } }),
          ...inPieces(JSON.stringify(turn.input)).map((input) => delta({ toolUse: { input } })),
        ];
  return [...pieces, converseFrame('contentBlockStop', { contentBlockIndex })];
}

/** Bedrock's Converse, with AWS event-stream frames. */
export const converseWire: ModelWire = {
  contentType: awsStream,
  read: (body) => ({
    tools: objectsIn(objectOf(body.toolConfig).tools).map(({ toolSpec }) => {
      const { name, inputSchema } = objectOf(toolSpec);
      return { name: textOf(name), schema: schemaOf(objectOf(inputSchema).json) };
    }),
    results: objectsIn(body.messages).flatMap(({ content }) =>
      objectsIn(content).flatMap(({ toolResult }) =>
        toolResult === undefined ? [] : [resultText(objectOf(toolResult).content)],
      ),
    ),
  }),
  whole: (turn) => {
    const text = thoughtOf(turn);
    const content: JsonObject[] = [
      ...(text ? [{ reasoningContent: { reasoningText: { text, signature: 'c2lnbmVk' } } }] : []),
      'say' in turn ? { text: turn.say } : { toolUse: { ...useOf(turn), input: turn.input } },
    ];
    return { output: { message: { role: 'assistant', content } }, stopReason: reasonOf(turn), usage };
  },
  stream: (turn) => [
    converseFrame('messageStart', { role: 'assistant' }),
    ...thoughtFrames(turn),
    ...blockFrames(turn, thoughtOf(turn) ? 1 : 0),
    converseFrame('messageStop', { stopReason: reasonOf(turn) }),
    converseFrame('metadata', { usage }),
  ],
};
