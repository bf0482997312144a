// OpenAI's wire format in the fake upstream: bodies and events, deterministic, with round numbers of tokens.

const created = 1_700_000_000;

/** Usage in OpenAI's format. */
export type WireUsage = Record<string, unknown>;

/** `prompt_tokens` and `completion_tokens` with their total. */
export const usageBody = (prompt: number, completion: number): WireUsage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

/** One server-sent event in OpenAI's format: a `data:` line and an empty line. */
export const event = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** The last event of an OpenAI stream. */
export const doneEvent = 'data: [DONE]\n\n';

/** A chunk of a streamed chat answer; `choices` empty for the usage chunk. */
export const chatChunk = (model: string, choices: unknown[], usage?: WireUsage | null): unknown => ({
  id: 'chatcmpl-fake',
  object: 'chat.completion.chunk',
  created,
  model,
  choices,
  ...(usage === undefined ? {} : { usage }),
});

/** A choice of a chunk. */
export const delta = (fields: Record<string, unknown>, finishReason: string | null = null): unknown => ({
  index: 0,
  delta: fields,
  finish_reason: finishReason,
});

/** A whole chat answer. */
export const chatBody = (model: string, content: string, usage?: WireUsage): unknown => ({
  id: 'chatcmpl-fake',
  object: 'chat.completion',
  created,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  ...(usage === undefined ? {} : { usage }),
});

/** A whole answer of the older text completion call. */
export const completionBody = (model: string, text: string, usage?: WireUsage): unknown => ({
  id: 'cmpl-fake',
  object: 'text_completion',
  created,
  model,
  choices: [{ index: 0, text, logprobs: null, finish_reason: 'stop' }],
  ...(usage === undefined ? {} : { usage }),
});

/** A chunk of a streamed text completion. */
export const completionChunk = (model: string, text: string, finishReason: string | null): unknown => ({
  id: 'cmpl-fake',
  object: 'text_completion',
  created,
  model,
  choices: [{ index: 0, text, logprobs: null, finish_reason: finishReason }],
});

/** Three-dimensional embeddings of each input, as numbers or as base64 of 32-bit floats. */
export function embeddingBody(model: string, inputs: number, encoding: 'float' | 'base64'): unknown {
  const values = [0.25, -0.5, 0.75];
  const embedding =
    encoding === 'float' ? values : Buffer.from(Float32Array.from(values).buffer).toString('base64');
  return {
    object: 'list',
    model,
    data: Array.from({ length: inputs }, (_, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 10 * inputs, total_tokens: 10 * inputs },
  };
}

/** A compacted conversation of Responses. */
export const compactionBody = (): unknown => ({
  id: 'resp_compact',
  object: 'response.compaction',
  created_at: created,
  output: [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'gAAAAB' }],
  usage: { input_tokens: 1_000, output_tokens: 200, total_tokens: 1_200 },
});

/** A moderation that flags nothing. */
export const moderationBody = (model: string): unknown => ({
  id: 'modr-fake',
  model,
  results: [
    {
      flagged: false,
      categories: { violence: false, hate: false },
      category_scores: { violence: 0.01, hate: 0 },
    },
  ],
});

/** The list of models. */
export const modelsBody = (ids: readonly string[]): unknown => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', created, owned_by: 'fake' })),
});

/** An error in OpenAI's format. */
export const errorBody = (message: string, type: string, code: string | null): unknown => ({
  error: { message, type, param: null, code },
});
