import { type JsonObject, objectsIn, textOf } from '../../lib/json.ts';
import { inPieces, type ModelWire, resultText, schemaOf, thoughtOf, type Turn } from './fake-model-words.ts';

const usage = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 52,
};

const textPart = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [], logprobs: [] });

/** The item of a text or a call, without text or arguments while it is in progress. */
function itemOf(turn: Turn, isDone: boolean): JsonObject {
  const status = isDone ? 'completed' : 'in_progress';
  if ('say' in turn) {
    const content = isDone ? [textPart(turn.say)] : [];
    return { id: 'msg_played', type: 'message', role: 'assistant', status, content };
  }
  const call = { name: turn.call, arguments: isDone ? JSON.stringify(turn.input) : '' };
  return { id: 'fc_played', type: 'function_call', call_id: 'call_1', status, ...call };
}

const thoughtItem = (turn: Turn, isDone: boolean): JsonObject => ({
  id: 'rs_played',
  type: 'reasoning',
  summary: isDone ? [{ type: 'summary_text', text: thoughtOf(turn) }] : [],
});

const itemsOf = (turn: Turn): JsonObject[] =>
  thoughtOf(turn) ? [thoughtItem(turn, true), itemOf(turn, true)] : [itemOf(turn, true)];

function* streamedThought(turn: Turn): Generator<JsonObject> {
  const text = thoughtOf(turn);
  if (!text) return;
  const at = { item_id: 'rs_played', output_index: 0, summary_index: 0 };
  yield { type: 'response.output_item.added', output_index: 0, item: thoughtItem(turn, false) };
  yield { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } };
  yield { type: 'response.reasoning_summary_text.delta', ...at, delta: text };
  yield { type: 'response.reasoning_summary_text.done', ...at, text };
  yield { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } };
  yield { type: 'response.output_item.done', output_index: 0, item: thoughtItem(turn, true) };
}

/** The parameters that a response repeats, as those of a request that sets none. */
const unset: JsonObject = {
  background: false,
  error: null,
  frequency_penalty: 0,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  usage: null,
};

/** A request for thoughts, as the response repeats it. */
const repeatedBy = (turn: Turn): JsonObject =>
  thoughtOf(turn) ? { reasoning: { effort: 'low', summary: 'auto' } } : {};

/** Responses have ids of their own, under which a vendor keeps them. */
let count = 0;

const response = (model: string, status: string, rest: JsonObject): JsonObject => ({
  id: `resp_played_${count}`,
  object: 'response',
  created_at: 1_700_000_000,
  completed_at: status === 'completed' ? 1_700_000_001 : null,
  model,
  status,
  output: [],
  ...unset,
  ...rest,
});

/** The events of an answer. `isRepeated` is true if the last event repeats all items and the vendor keeps the response. */
function* eventsOf(turn: Turn, model: string, isRepeated: boolean): Generator<JsonObject> {
  count += 1;
  yield { type: 'response.created', response: response(model, 'in_progress', {}) };
  yield* streamedThought(turn);
  const index = thoughtOf(turn) ? 1 : 0;
  yield { type: 'response.output_item.added', output_index: index, item: itemOf(turn, false) };
  if ('say' in turn) {
    const at = { item_id: 'msg_played', output_index: index, content_index: 0 };
    yield { type: 'response.content_part.added', ...at, part: textPart('') };
    for (const delta of inPieces(turn.say)) yield { type: 'response.output_text.delta', ...at, delta };
    yield { type: 'response.output_text.done', ...at, text: turn.say };
    yield { type: 'response.content_part.done', ...at, part: textPart(turn.say) };
  } else {
    const at = { item_id: 'fc_played', output_index: index };
    const input = JSON.stringify(turn.input);
    for (const delta of inPieces(input))
      yield { type: 'response.function_call_arguments.delta', ...at, delta };
    yield { type: 'response.function_call_arguments.done', ...at, arguments: input };
  }
  yield { type: 'response.output_item.done', output_index: index, item: itemOf(turn, true) };
  yield {
    type: 'response.completed',
    response: response(model, 'completed', {
      ...repeatedBy(turn),
      output: isRepeated ? itemsOf(turn) : [],
      usage: turn.usage ?? usage,
      ...(!isRepeated && { store: false }),
    }),
  };
}

const written = (events: Iterable<JsonObject>): string[] =>
  [...events].map(
    (data, index) =>
      `event: ${textOf(data.type)}\ndata: ${JSON.stringify({ ...data, sequence_number: index })}\n\n`,
  );

/** OpenAI Responses. */
export const responsesWire: ModelWire = {
  read: (body) => ({
    tools: objectsIn(body.tools)
      .filter(({ type }) => type === 'function')
      .map(({ name, parameters }) => ({ name: textOf(name), schema: schemaOf(parameters) })),
    results: objectsIn(body.input)
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => resultText(output)),
  }),
  whole(turn, model) {
    count += 1;
    const output = itemsOf(turn);
    return response(model, 'completed', { ...repeatedBy(turn), output, usage: turn.usage ?? usage });
  },
  stream: (turn, model) => written(eventsOf(turn, model, true)),
};

/** Codex with a ChatGPT account: always a stream. Its last event repeats no items. */
export const codexWire: ModelWire = {
  read: (body) => responsesWire.read(body),
  whole: () => {
    throw new Error('Codex is asked for streams alone');
  },
  stream: (turn, model) => written(eventsOf(turn, model, false)),
};
