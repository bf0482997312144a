import type { JsonObject } from '../../lib/json.ts';
import type { FakeExchange } from '../upstream/fake-upstream-exchange.ts';
import { type Behaviour, json, sseHeaders } from '../upstream/fake-upstream-scripts.ts';
import type { OldCall } from './recorded-calls.ts';

/** Counts from a vendor: prompt, completion, cache read, cache write, audio in, audio out, reasoning. */
type Counts = Record<'p' | 'c' | 'r' | 'w' | 'a' | 'b' | 't', number>;

function countsOf(usage: string | undefined): Counts {
  const pairs = (usage ?? 'p=1000,c=100').split(',').map((pair) => pair.split('='));
  const none = { p: 0, c: 0, r: 0, w: 0, a: 0, b: 0, t: 0 };
  return { ...none, ...Object.fromEntries(pairs.map(([name, count]) => [name, Number(count)])) };
}

const chatUsage = ({ p, c, r, a, b, t }: Counts): JsonObject => ({
  prompt_tokens: p,
  completion_tokens: c,
  total_tokens: p + c,
  prompt_tokens_details: { cached_tokens: r, audio_tokens: a },
  completion_tokens_details: { audio_tokens: b, reasoning_tokens: t },
});

const chat = (counts: Counts): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: chatUsage(counts),
});

const chunks = (counts: Counts): JsonObject[] => [
  { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'hello' } }] },
  { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { id: 'c', object: 'chat.completion.chunk', choices: [], usage: chatUsage(counts) },
];

const claudeUsage = ({ p, c, r, w }: Counts): JsonObject => ({
  input_tokens: p,
  output_tokens: c,
  cache_read_input_tokens: r,
  cache_creation_input_tokens: w,
});

const claude = (counts: Counts): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  usage: claudeUsage(counts),
});

const claudeEvents = (counts: Counts): JsonObject[] => [
  {
    type: 'message_start',
    message: { ...claude(counts), content: [], usage: { ...claudeUsage(counts), output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: counts.c } },
  { type: 'message_stop' },
];

const gemini = ({ p, c, r, t }: Counts): JsonObject => ({
  candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] }, index: 0, finishReason: 'STOP' }],
  usageMetadata: {
    promptTokenCount: p,
    candidatesTokenCount: c,
    cachedContentTokenCount: r,
    thoughtsTokenCount: t,
    totalTokenCount: p + c + t,
  },
});

const response = ({ p, c }: Counts): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  model: 'm',
  status: 'completed',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'hello', annotations: [] }],
    },
  ],
  usage: { input_tokens: p, output_tokens: c, total_tokens: p + c },
});

const ollama = ({ p, c }: Counts): JsonObject => ({
  model: 'm',
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', content: 'hello' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: p,
  eval_count: c,
});

/** Non-streamed answers of vendors, by the end of the path. */
const wholes: readonly [RegExp, (counts: Counts) => JsonObject][] = [
  [/\/(chat\/completions|chatcompletion_v2)$/, chat],
  [/\/v1\/messages$/, claude],
  [/:generateContent$/, gemini],
  [/\/responses$/, response],
  [/\/api\/chat$/, ollama],
  [/\/rerank$/, ({ p }) => ({ results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: p } })],
  [
    /\/embeddings$/,
    ({ p }) => ({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: p, total_tokens: p },
    }),
  ],
  [/\/images\/generations$/, () => ({ created: 1, data: [{ url: 'https://image.example/1.png' }] })],
  [
    /\/v2\/chat$/,
    ({ p, c }) => ({
      code: 0,
      msg: 'success',
      conversation_id: 'x',
      messages: [{ role: 'assistant', type: 'answer', content: 'hello', content_type: 'text' }],
      usage: { tokens: { input_tokens: p, output_tokens: c } },
    }),
  ],
  [
    /\/invoke$/,
    (counts) => ({
      code: 200,
      success: true,
      data: {
        choices: [{ role: 'assistant', content: '"hello"' }],
        task_status: 'SUCCESS',
        usage: chatUsage(counts),
      },
    }),
  ],
  [
    /\/chat-messages$/,
    () => ({ event: 'message', answer: 'hello', conversation_id: 'x', message_id: 'y', metadata: {} }),
  ],
];

/** Streamed answers. The path identifies Gemini, Responses and Messages; all other paths are Chat. */
function streamOf(path: string, counts: Counts): JsonObject[] {
  if (path.endsWith(':streamGenerateContent')) return [gemini(counts)];
  if (path.endsWith('/responses')) return [{ type: 'response.completed', response: response(counts) }];
  return path.endsWith('/messages') ? claudeEvents(counts) : chunks(counts);
}

const eventText = (data: JsonObject): string =>
  `${typeof data.type === 'string' ? `event: ${data.type}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

/** Answers a recorded call as the vendor did: with the same usage, or the same failure. */
export const oldVendor =
  ({ usage, fail }: Pick<OldCall, 'usage' | 'fail'>): Behaviour =>
  async (exchange: FakeExchange) => {
    const path = exchange.path.split('?')[0] ?? '';
    if (fail !== undefined)
      return json({ error: { message: 'scripted failure', type: 'x', code: 'x' } }, fail)(exchange);
    const counts = countsOf(usage);
    if (path.endsWith('/audio/speech')) {
      exchange.head(200, { 'content-type': 'audio/mpeg' });
      await exchange.write('sound');
      return exchange.end();
    }
    const isStream = path.endsWith(':streamGenerateContent') || exchange.json()['stream'] === true;
    if (isStream) {
      exchange.head(200, sseHeaders);
      for (const data of streamOf(path, counts)) await exchange.write(eventText(data));
      if (!path.includes(':')) await exchange.write('data: [DONE]\n\n');
      return exchange.end();
    }
    const whole = wholes.find(([ending]) => ending.test(path));
    if (!whole) throw new Error(`no vendor is played at ${path}`);
    return json(whole[1](counts))(exchange);
  };
