import { type Behaviour, json, sseHeaders } from './fake-upstream-scripts.ts';
import { chatBody, chatChunk, delta, doneEvent, event, usageBody } from './fake-upstream-wire.ts';

// Vendors with their own wire formats, as documented: Dify, Coze, Workers AI, Perplexity.

/** Sends the text of a stream in pieces of some bytes, each in a separate write. */
const stream =
  (text: string, pieceBytes = Infinity): Behaviour =>
  async (exchange) => {
    const bytes = Buffer.from(text);
    exchange.head(200, sseHeaders);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await exchange.write(bytes.subarray(at, Math.min(bytes.length, at + pieceBytes)));
      await exchange.turn();
    }
    await exchange.end();
  };

const ofMessage = { task_id: 't-1', message_id: 'm-1', conversation_id: 'c-1', created_at: 1_780_000_000 };

/** An event of Dify. */
export const difyEvent = (name: string, fields: object = {}): string =>
  event({ event: name, ...ofMessage, ...fields });

const difyMetadata = {
  usage: {
    prompt_tokens: 12,
    completion_tokens: 5,
    total_tokens: 17,
    total_price: '0.00003',
    currency: 'USD',
  },
  retriever_resources: [{ position: 1, document_name: 'handbook.pdf', content: 'Paris is mild.' }],
};

/** The streamed answer of a Dify chatflow. */
export const difyEvents: readonly string[] = [
  difyEvent('workflow_started', { data: { id: 'w-1', workflow_id: 'wf-1' } }),
  difyEvent('node_started', { data: { node_type: 'llm', title: 'Answer' } }),
  'event: ping\n\n',
  difyEvent('message', { answer: '巴黎 is ' }),
  difyEvent('message', { answer: 'mild.' }),
  difyEvent('node_finished', { data: { node_type: 'llm', title: 'Answer', status: 'succeeded' } }),
  difyEvent('workflow_finished', { data: { status: 'succeeded' } }),
  difyEvent('message_end', { metadata: difyMetadata }),
];

/** A Dify chatflow: accepts files, answers whole or streamed. */
export const dify: Behaviour = async (exchange) => {
  if (exchange.path === '/v1/files/upload') return json({ id: 'file-1', name: 'x.png' }, 201)(exchange);
  const whole = {
    event: 'message',
    ...ofMessage,
    mode: 'chat',
    answer: '巴黎 is mild.',
    metadata: difyMetadata,
  };
  if (exchange.json()['response_mode'] === 'blocking') return json(whole)(exchange);
  await stream(difyEvents.join(''), 7)(exchange);
};

/** An event of Coze. */
export const cozeEvent = (name: string, data: object | string): string =>
  `event:${name}\ndata:${JSON.stringify(data)}\n\n`;

const ofChat = { conversation_id: 'c-1', bot_id: 'bot-1' };
const message = (fields: object) => ({
  id: 'm-1',
  chat_id: 'chat-1',
  role: 'assistant',
  ...ofChat,
  ...fields,
});

/** The streamed answer of a Coze bot. */
export const cozeEvents: readonly string[] = [
  cozeEvent('conversation.chat.created', {
    id: 'chat-1',
    ...ofChat,
    created_at: 1_780_000_000,
    status: 'created',
  }),
  cozeEvent('conversation.chat.in_progress', { id: 'chat-1', ...ofChat, status: 'in_progress' }),
  cozeEvent(
    'conversation.message.delta',
    message({ type: 'answer', content: '', reasoning_content: 'Hm. ' }),
  ),
  cozeEvent('conversation.message.delta', message({ type: 'answer', content: '巴黎 is ' })),
  cozeEvent('conversation.message.delta', message({ type: 'answer', content: 'mild.' })),
  cozeEvent('conversation.message.completed', message({ type: 'answer', content: '巴黎 is mild.' })),
  cozeEvent(
    'conversation.message.completed',
    message({ id: 'm-2', type: 'verbose', content: '{"msg_type":"x"}' }),
  ),
  cozeEvent(
    'conversation.message.completed',
    message({ id: 'm-3', type: 'follow_up', content: 'And Rome?' }),
  ),
  cozeEvent('conversation.chat.completed', {
    id: 'chat-1',
    ...ofChat,
    status: 'completed',
    last_error: { code: 0, msg: '' },
    usage: { token_count: 17, input_count: 12, output_count: 5 },
  }),
  cozeEvent('done', '[DONE]'),
];

/** A Coze bot: accepts files, answers as a stream. */
export const coze: Behaviour = async (exchange) => {
  if (exchange.path === '/v1/files/upload') {
    return json({ code: 0, msg: '', data: { id: 'file-1' } })(exchange);
  }
  await stream(cozeEvents.join(''), 7)(exchange);
};

const runUsage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

/** The stream of `/ai/run`. */
export const runEvents: readonly string[] = [
  event({ response: '巴黎 is ', p: 'ab' }),
  event({ response: 'mild.', p: 'abcdef' }),
  event({ response: '', usage: runUsage }),
  doneEvent,
];

/** Workers AI: chats and embeddings in OpenAI's format, text generation in its own. */
export const workersAi: Behaviour = async (exchange) => {
  const { stream: streamed } = exchange.json();
  if (exchange.path.includes('/ai/run/')) {
    if (streamed === true) return stream(runEvents.join(''), 5)(exchange);
    const result = { response: '巴黎 is mild.', usage: runUsage };
    return json({ result, success: true, errors: [], messages: [] })(exchange);
  }
  if (exchange.path.endsWith('/embeddings')) {
    return json({ object: 'list', data: [{ index: 0, embedding: [0.5] }], usage: runUsage })(exchange);
  }
  if (streamed !== true) return json(chatBody('m', '巴黎 is mild.', usageBody(12, 5)))(exchange);
  const chunks = ['巴黎 is ', 'mild.'].map((content) => chatChunk('m', [delta({ content })]));
  const last = [chatChunk('m', [delta({}, 'stop')]), chatChunk('m', [], usageBody(12, 5))];
  await stream([...chunks, ...last].map(event).join('') + doneEvent, 9)(exchange);
};

const pages = [
  { id: 1, title: 'Paris', url: 'https://a.test/1', snippet: 'mild', date: '2026-01-02', source: 'web' },
  { id: 2, title: 'Weather', url: 'https://b.test/2', snippet: 'rain', source: 'web' },
];

/** Fields of a request that Perplexity accepts, among those that these tests send. */
const agentFields = new Set(
  `model preset input instructions stream store tools tool_choice temperature max_output_tokens reasoning
  response_format metadata parallel_tool_calls top_p`.split(/\s+/),
);

/**
 * Perplexity's Agent API: OpenAI's Responses without event names, with the found pages before the message. The message
 * has another number at the end than before it. An unknown field is refused.
 */
export const perplexity: Behaviour = async (exchange) => {
  const asked = exchange.json();
  const unknown = Object.keys(asked).find((name) => !agentFields.has(name));
  if (exchange.path !== '/v1/responses' || unknown !== undefined) {
    const message = `invalid request body: json: unknown field "${unknown}"`;
    return json({ error: { message, type: 'invalid_request', code: 400, param: unknown } }, 400)(exchange);
  }
  const model = asked['model'] ?? 'openai/gpt-5.1';
  const content = [{ type: 'output_text', text: '巴黎 is mild[1].', annotations: [] }];
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
  const usage = {
    input_tokens: 12,
    output_tokens: 5,
    total_tokens: 17,
    tool_calls_details: { search_web: { invocation: 1 } },
    cost: {
      currency: 'USD',
      input_cost: 0.001,
      output_cost: 0.001,
      tool_calls_cost: 0.0025,
      total_cost: 0.0045,
    },
  };
  const found = { type: 'search_results', queries: ['Paris'], results: pages };
  const head = { id: 'resp_1', object: 'response', created_at: 1_780_000_000, model };
  const whole = { ...head, status: 'completed', output: [found, item], usage };
  if (asked['stream'] !== true) return json(whole)(exchange);
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const events = [
    { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
    { type: 'response.reasoning.search_results', results: pages },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_text.delta', ...place, delta: '巴黎 is ' },
    { type: 'response.output_text.delta', ...place, delta: 'mild[1].' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ];
  await stream(events.map((each, at) => event({ ...each, sequence_number: at })).join(''), 11)(exchange);
};
