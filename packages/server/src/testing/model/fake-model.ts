import { type JsonObject, textOf } from '../../lib/json.ts';
import { chatWire } from './fake-model-chat.ts';
import { cohereWire } from './fake-model-cohere.ts';
import { converseWire } from './fake-model-converse.ts';
import { ernieWire } from './fake-model-ernie.ts';
import { geminiWire } from './fake-model-gemini.ts';
import { hunyuanWire } from './fake-model-hunyuan.ts';
import { messagesWire } from './fake-model-messages.ts';
import { codexWire, responsesWire } from './fake-model-responses.ts';
import { sparkWire } from './fake-model-spark.ts';
import type { Asked } from './fake-model-words.ts';
import type { ModelExchange } from '../upstream/fake-upstream-exchange.ts';
import { json, type ModelBehaviour, sseHeaders } from '../upstream/fake-upstream-scripts.ts';
import { inPieces, type ModelWire, thoughtOf, type Turn } from './fake-model-words.ts';

const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };
const task = { request_id: 'r-1', task_id: 't-1', task_status: 'SUCCESS' };

function wordsOf(turn: Turn): string {
  if ('say' in turn) return turn.say;
  throw new Error('this wire has no tools');
}

/** An event, with an optional `meta` line. That line is not part of server-sent events. */
const event = (name: string, data: string, meta?: object): string =>
  `event: ${name}\nid: t-1\ndata: ${data}\n${meta === undefined ? '' : `meta: ${JSON.stringify(meta)}\n`}\n`;

/** Zhipu's API v3: text only. Non-streamed answers contain JSON-encoded text. */
const zhipuWire: ModelWire = {
  read: () => ({ tools: [], results: [] }),
  whole: (turn) => ({
    code: 200,
    msg: '操作成功',
    data: { ...task, choices: [{ role: 'assistant', content: JSON.stringify(wordsOf(turn)) }], usage },
    success: true,
  }),
  stream: (turn) => [
    ...inPieces(wordsOf(turn)).map((piece) => event('add', piece)),
    event('finish', '', { ...task, usage }),
  ],
};

const line = (model: string, message: JsonObject, more: JsonObject = { done: false }): string =>
  `${JSON.stringify({ model, created_at: '2026-11-01T00:00:00Z', message: { role: 'assistant', content: '', ...message }, ...more })}\n`;

const pieces = (turn: Turn): JsonObject[] =>
  'say' in turn
    ? inPieces(turn.say).map((content) => ({ content }))
    : [{ tool_calls: [{ function: { name: turn.call, arguments: turn.input } }] }];

/** Ollama's native chat API: one JSON line for each piece, with the counts in the last line. */
const ollamaWire: ModelWire = {
  contentType: 'application/x-ndjson',
  read: (body) => chatWire.read(body),
  whole: () => {
    throw new Error('Ollama is asked for streams alone');
  },
  stream: (turn, model) => [
    ...inPieces(thoughtOf(turn)).map((thinking) => line(model, { thinking })),
    ...pieces(turn).map((message) => line(model, message)),
    line(model, {}, { done: true, done_reason: 'stop', prompt_eval_count: 40, eval_count: 12 }),
  ],
};

/** Behaviour of a streamed answer after its middle. */
type Ending = 'whole' | 'cut' | 'silence';

/**
 * A simulated model behind an upstream. It reads the conversation in the protocol of the request path and answers in the
 * same protocol, streamed if the request asks for it. It supports conversations of several turns.
 */
export const playModel =
  (decide: (asked: Asked) => Turn, ending: Ending = 'whole'): ModelBehaviour =>
  async (exchange) => {
    const { wire, isStream, model } = wireOf(exchange);
    const turn = decide(wire.read(exchange.json() as JsonObject));
    if (!isStream) return json(wire.whole(turn, model))(exchange);
    exchange.head(200, wire.contentType === undefined ? sseHeaders : { 'content-type': wire.contentType });
    const pieces = wire.stream(turn, model);
    const end = ending === 'whole' ? pieces.length : Math.ceil(pieces.length / 2);
    for (const piece of pieces.slice(0, end)) await exchange.write(piece);
    if (ending === 'silence') return exchange.closed;
    if (ending === 'whole') return exchange.end();
    // Sends the written data first.
    await exchange.turn();
    exchange.cut();
  };

interface Called {
  wire: ModelWire;
  isStream: boolean;
  model: string;
}

function wireOf(exchange: ModelExchange): Called {
  const path = exchange.path.split('?')[0] ?? '';
  const body = exchange.json() as JsonObject;
  const asked = { isStream: body.stream === true, model: textOf(body.model) };
  if (path.endsWith('/chat/completions')) return { wire: chatWire, ...asked };
  if (path.endsWith('/codex/responses')) return { wire: codexWire, ...asked };
  if (path.endsWith('/responses')) return { wire: responsesWire, ...asked };
  if (path.endsWith('/messages')) return { wire: messagesWire, ...asked };
  // Ollama streams by default.
  if (path.endsWith('/api/chat')) return { wire: ollamaWire, ...asked, isStream: body.stream !== false };
  if (path.endsWith('/v2/chat')) return { wire: cohereWire, ...asked };
  if (path.includes('/wenxinworkshop/chat/')) return { wire: ernieWire, ...asked };
  // Tencent has one path for all calls. Field names start with a capital letter.
  if (path === '/') return { wire: hunyuanWire, isStream: body.Stream === true, model: textOf(body.Model) };
  const named = calledByPath(path);
  if (named === undefined) throw new Error(`no model is played at ${path}`);
  return { ...asked, ...named };
}

/** Protocols with the model, and in some cases the stream flag, in the path. */
function calledByPath(path: string): (Pick<Called, 'wire' | 'model'> & Partial<Called>) | undefined {
  const spark = /^\/(v\d\.\d)\/chat$/.exec(path);
  if (spark) return { wire: sparkWire, model: spark[1]!, isStream: true };
  const zhipu = /\/model-api\/([^/]+)\/(sse-)?invoke$/.exec(path);
  if (zhipu) return { wire: zhipuWire, model: zhipu[1]!, isStream: zhipu[2] !== undefined };
  const converse = /\/model\/([^/]+)\/converse(-stream)?$/.exec(path);
  if (converse) return { wire: converseWire, model: converse[1]!, isStream: converse[2] !== undefined };
  const gemini = /\/models\/([^/:]+):(stream)?generateContent$/i.exec(path);
  if (gemini) return { wire: geminiWire, model: gemini[1]!, isStream: gemini[2] !== undefined };
  const claude = /\/publishers\/anthropic\/models\/([^/:]+):(?:streamR|r)awPredict$/.exec(path);
  return claude ? { wire: messagesWire, model: decodeURIComponent(claude[1]!) } : undefined;
}
