import { type JsonObject, objectsIn, textOf } from '../../lib/json.ts';
import { inPieces, type ModelWire, resultText, schemaOf, thoughtOf, type Turn } from './fake-model-words.ts';

const head = (model: string) => ({
  id: 'msg_played',
  type: 'message',
  role: 'assistant',
  model,
  container: null,
  stop_details: null,
  stop_sequence: null,
});

/** The fields of the vendor's usage beside the counts. */
const usageOf = (counts: JsonObject): JsonObject => ({
  cache_creation: null,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: 'standard',
  ...counts,
});

const blockOf = (turn: Turn): JsonObject =>
  'say' in turn
    ? { type: 'text', text: turn.say, citations: null }
    : {
        type: 'tool_use',
        id: 'toolu_1',
        name: turn.call,
        input: turn.input,
        caller: { type: 'direct' },
      };

const thoughtBlock = (turn: Turn): JsonObject => ({
  type: 'thinking',
  thinking: thoughtOf(turn),
  signature: 'c2lnbmVk',
});

const reasonOf = (turn: Turn): string => ('say' in turn ? 'end_turn' : 'tool_use');

const named = (data: JsonObject): string => `event: ${textOf(data.type)}\ndata: ${JSON.stringify(data)}\n\n`;

/** Anthropic Messages. */
export const messagesWire: ModelWire = {
  read: (body) => ({
    tools: objectsIn(body.tools).map((tool) => ({
      name: textOf(tool.name),
      schema: schemaOf(tool.input_schema),
    })),
    results: objectsIn(body.messages).flatMap(({ content }) =>
      objectsIn(content)
        .filter(({ type }) => type === 'tool_result')
        .map((block) => resultText(block.content)),
    ),
  }),
  whole: (turn, model) => ({
    ...head(model),
    content: thoughtOf(turn) ? [thoughtBlock(turn), blockOf(turn)] : [blockOf(turn)],
    stop_reason: reasonOf(turn),
    usage: usageOf(turn.usage ?? { input_tokens: 40, output_tokens: 12 }),
  }),
  stream(turn, model) {
    const empty = { ...blockOf(turn), ...('say' in turn ? { text: '' } : { input: {} }) };
    const deltas =
      'say' in turn
        ? inPieces(turn.say).map((text) => ({ type: 'text_delta', text }))
        : inPieces(JSON.stringify(turn.input)).map((text) => ({
            type: 'input_json_delta',
            partial_json: text,
          }));
    const usage = usageOf({ input_tokens: 40, ...turn.usage, output_tokens: 1 });
    const index = thoughtOf(turn) ? 1 : 0;
    return [
      { type: 'message_start', message: { ...head(model), content: [], stop_reason: null, usage } },
      ...streamedThought(turn),
      { type: 'content_block_start', index, content_block: empty },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
      {
        type: 'message_delta',
        delta: { stop_reason: reasonOf(turn), stop_sequence: null },
        usage: turn.usage ?? { output_tokens: 12 },
      },
      { type: 'message_stop' },
    ].map(named);
  },
};

function streamedThought(turn: Turn): JsonObject[] {
  if (!thoughtOf(turn)) return [];
  const delta = (fields: JsonObject) => ({ type: 'content_block_delta', index: 0, delta: fields });
  const { signature = null } = thoughtBlock(turn);
  return [
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    delta({ type: 'thinking_delta', thinking: thoughtOf(turn) }),
    delta({ type: 'signature_delta', signature }),
    { type: 'content_block_stop', index: 0 },
  ];
}
