import type { FakeExchange, ModelExchange } from './fake-upstream-exchange.ts';
import {
  chatBody,
  chatChunk,
  completionBody,
  completionChunk,
  delta,
  doneEvent,
  embeddingBody,
  errorBody,
  event,
  modelsBody,
  compactionBody,
  moderationBody,
  usageBody,
  type WireUsage,
} from './fake-upstream-wire.ts';

/** Answers one request. An error that it throws fails the test that closes the upstream. */
export type Behaviour = (exchange: FakeExchange) => void | Promise<void>;

/** A behaviour that uses only the parts of HTTP that a socket also has. */
export type ModelBehaviour = (exchange: ModelExchange) => void | Promise<void>;

/** A good chat answer and its form. */
export interface ChatScript {
  /** Events with text; 5 by default. */
  chunks?: number;
  /** Text of the n-th chunk; `word0 `, `word1 ` … by default. */
  text?: (index: number) => string;
  /** Milliseconds between chunks; 0 sends each in a separate write, as fast as the peer reads. */
  paceMs?: number;
  /** All events in a single write. */
  atOnce?: boolean;
  /** Reported usage; by default 10 prompt tokens and one per chunk. `null` reports none. */
  usage?: WireUsage | null;
  /** A stream reports usage when the request asked for it (as OpenAI does) or always (as many others do). */
  usageWhen?: 'asked' | 'always';
  /** Ends with `[DONE]`; true by default. */
  done?: boolean;
  /** Extra headers of the answer. */
  headers?: Record<string, string>;
}

export const sseHeaders = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

const defaultText = (index: number) => `word${index} `;

/** The model in the request, or 'fake-model'. */
export function modelOf(exchange: FakeExchange): string {
  const { model } = exchange.body.length > 0 ? exchange.json() : {};
  return typeof model === 'string' ? model : 'fake-model';
}

const wantsStream = (exchange: FakeExchange): boolean => exchange.json()['stream'] === true;

function asksForUsage(exchange: FakeExchange): boolean {
  const options = exchange.json()['stream_options'];
  return typeof options === 'object' && options !== null && 'include_usage' in options
    ? options.include_usage === true
    : false;
}

const usageFor = (script: ChatScript): WireUsage | undefined =>
  script.usage === null ? undefined : (script.usage ?? usageBody(10, script.chunks ?? 5));

/** The events of a streamed chat answer, one string each, in order. */
export function chatEvents(exchange: FakeExchange, script: ChatScript = {}): string[] {
  const model = modelOf(exchange);
  const text = script.text ?? defaultText;
  const usage = usageFor(script);
  const reports = usage !== undefined && (script.usageWhen === 'always' || asksForUsage(exchange));
  // OpenAI puts "usage":null on every chunk of a stream if the last chunk reports usage.
  const chunk = (choices: unknown[]) =>
    event(reports ? chatChunk(model, choices, null) : chatChunk(model, choices));
  return [
    chunk([delta({ role: 'assistant', content: '' })]),
    ...Array.from({ length: script.chunks ?? 5 }, (_, index) => chunk([delta({ content: text(index) })])),
    chunk([delta({}, 'stop')]),
    ...(reports ? [event(chatChunk(model, [], usage))] : []),
    ...(script.done === false ? [] : [doneEvent]),
  ];
}

async function sendEvents(exchange: FakeExchange, events: readonly string[], script: ChatScript) {
  exchange.head(200, { ...sseHeaders, ...script.headers });
  if (script.atOnce) return exchange.end(events.join(''));
  for (const [index, one] of events.entries()) {
    if (exchange.isGone) return;
    if (index > 0) await exchange.pause(script.paceMs ?? 0);
    await exchange.write(one);
    await exchange.turn();
  }
  await exchange.end();
}

/** Answers with one JSON body and its length. */
export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): ModelBehaviour =>
  async (exchange) => {
    const bytes = Buffer.from(JSON.stringify(body));
    exchange.head(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers });
    await exchange.end(bytes);
  };

/** A good chat answer, streamed on request. */
export const chat =
  (script: ChatScript = {}): Behaviour =>
  async (exchange) => {
    if (wantsStream(exchange)) return sendEvents(exchange, chatEvents(exchange, script), script);
    const text = Array.from({ length: script.chunks ?? 5 }, (_, index) =>
      (script.text ?? defaultText)(index),
    );
    await json(chatBody(modelOf(exchange), text.join(''), usageFor(script)), 200, script.headers)(exchange);
  };

/** A good answer of the older text completion call. */
const completion =
  (script: ChatScript = {}): Behaviour =>
  async (exchange) => {
    const model = modelOf(exchange);
    const parts = Array.from({ length: script.chunks ?? 5 }, (_, index) =>
      (script.text ?? defaultText)(index),
    );
    if (!wantsStream(exchange)) {
      return json(completionBody(model, parts.join(''), usageFor(script)), 200, script.headers)(exchange);
    }
    const events = parts.map((part, index) =>
      event(completionChunk(model, part, index === parts.length - 1 ? 'stop' : null)),
    );
    await sendEvents(exchange, [...events, ...(script.done === false ? [] : [doneEvent])], script);
  };

/** One embedding for each input, in the requested encoding. */
const embeddings = (): Behaviour => async (exchange) => {
  const { input, encoding_format: encoding } = exchange.json();
  const count = Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
  await json(embeddingBody(modelOf(exchange), count, encoding === 'base64' ? 'base64' : 'float'))(exchange);
};

/** Answers each path like a healthy OpenAI: chat, completions, embeddings, moderations, models, billing. */
export const healthy =
  (script: ChatScript = {}, models: readonly string[] = ['fake-model', 'fake-embedding']): Behaviour =>
  (exchange) => {
    const path = exchange.path.split('?')[0] ?? '';
    if (path.endsWith('/chat/completions')) return chat(script)(exchange);
    if (path.endsWith('/completions')) return completion(script)(exchange);
    if (path.endsWith('/embeddings')) return embeddings()(exchange);
    if (path.endsWith('/responses/compact')) return json(compactionBody())(exchange);
    if (path.endsWith('/moderations')) return json(moderationBody(modelOf(exchange)))(exchange);
    if (path.endsWith('/models')) return json(modelsBody(models))(exchange);
    if (path.endsWith('/billing/subscription')) {
      return json({ object: 'billing_subscription', has_payment_method: true, hard_limit_usd: 120 })(
        exchange,
      );
    }
    if (path.endsWith('/billing/usage')) return json({ object: 'list', total_usage: 2_000 })(exchange);
    return json(
      errorBody(`Invalid URL (${exchange.method} ${path})`, 'invalid_request_error', null),
      404,
    )(exchange);
  };

/** A streamed chat answer with a call of the tool `weather`, its arguments in pieces, as OpenAI streams them. */
export const callsTool: Behaviour = async (exchange) => {
  const name = modelOf(exchange);
  const call = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });
  const choices = [
    delta({ role: 'assistant', content: null }),
    call({ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }),
    call({ function: { arguments: '{"city":' } }),
    call({ function: { arguments: '"Paris"}' } }),
    delta({}, 'tool_calls'),
  ];
  exchange.head(200, sseHeaders);
  for (const choice of choices) await exchange.write(event(chatChunk(name, [choice])));
  await exchange.end(event(chatChunk(name, [], usageBody(20, 8))) + doneEvent);
};
