import { type JsonObject, objectOf, objectsIn, parseObject, textOf } from '../../lib/json.ts';
import { event } from '../upstream/fake-upstream-wire.ts';
import { inPieces, type ModelWire, resultText, schemaOf, thoughtOf, type Turn } from './fake-model-words.ts';

const usage = { PromptTokens: 40, CompletionTokens: 12, TotalTokens: 52 };
const common = {
  Created: 1_718_698_937,
  Id: 'c-1',
  Note: '以上内容为AI生成，不代表开发者立场，请勿删除或修改本标记',
};

const callOf = ({ call, input }: Extract<Turn, { call: string }>): JsonObject => ({
  Id: 'call_1',
  Type: 'function',
  Index: 0,
  Function: { Name: call, Arguments: JSON.stringify(input) },
});

const message = (fields: JsonObject): JsonObject => ({ Role: 'assistant', Content: '', ...fields });

const wholeOf = (turn: Turn): JsonObject =>
  'say' in turn
    ? message({ ...(thoughtOf(turn) && { ReasoningContent: thoughtOf(turn) }), Content: turn.say })
    : message({ ToolCalls: [callOf(turn)] });

const reasonOf = (turn: Turn): string => ('say' in turn ? 'stop' : 'tool_calls');

const piecesOf = (turn: Turn): JsonObject[] => [
  ...inPieces(thoughtOf(turn)).map((ReasoningContent) => message({ ReasoningContent })),
  ...('say' in turn ? inPieces(turn.say).map((Content) => message({ Content })) : [wholeOf(turn)]),
];

/** Tencent's Hunyuan: OpenAI's fields with capital letters, schemas as text, cumulative usage in each event. */
export const hunyuanWire: ModelWire = {
  read: (body) => ({
    tools: objectsIn(body.Tools).map(({ Function: it }) => {
      const { Name: name, Parameters: parameters } = objectOf(it);
      return { name: textOf(name), schema: schemaOf(parseObject(textOf(parameters))) };
    }),
    results: objectsIn(body.Messages)
      .filter(({ Role }) => Role === 'tool')
      .map(({ Content }) => resultText(Content)),
  }),
  whole: (turn) => ({
    Response: {
      ...common,
      RequestId: 'r-1',
      Choices: [{ Index: 0, FinishReason: reasonOf(turn), Message: wholeOf(turn) }],
      Usage: usage,
    },
  }),
  stream: (turn) =>
    [
      ...piecesOf(turn).map((Delta) => ({ Index: 0, Delta, FinishReason: '' })),
      { Index: 0, Delta: message({}), FinishReason: reasonOf(turn) },
    ].map((choice) => event({ ...common, Choices: [choice], Usage: usage })),
};
