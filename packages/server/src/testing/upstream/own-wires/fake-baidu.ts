import type { FakeExchange } from '../fake-upstream-exchange.ts';
import { type Behaviour, json, sseHeaders } from '../fake-upstream-scripts.ts';
import { event } from '../fake-upstream-wire.ts';

// Baidu's first API, as its documents tell it: a token for two halves of a key, failures as successes with a code.

export const baiduKey = 'baidu-api-key|baidu-secret-key';
const tokenOf = (count: number) => `24.6c5e1ff107f0e8bcef8c46d3424a0e78.2592000.1485516651.282335-${count}`;

interface BaiduState {
  /** Tokens handed out. */
  tokens: number;
  /** The number of the token that is good; the last one handed out where nothing is said. */
  good?: number;
  /** What calls with another token are told. */
  refusal?: { error_code: number; error_msg: string };
  /** What a chat fails with instead of an answer. */
  failure?: { error_code: number; error_msg: string };
}

const fields = (isEnd: boolean, result: string, output: number) => ({
  id: 'as-bcmt5ct4iy',
  object: 'chat.completion',
  created: 1_680_167_072,
  is_truncated: false,
  need_clear_history: false,
  finish_reason: 'normal',
  result,
  usage: { prompt_tokens: 12, completion_tokens: output, total_tokens: 12 + output },
  ...(isEnd && { is_end: true }),
});

/** Answers tokens and chats; `state` counts, and says what goes wrong. */
export const baidu =
  (state: BaiduState): Behaviour =>
  async (exchange) => {
    const { pathname, searchParams } = new URL(exchange.path, 'http://baidu.test');
    if (pathname === '/oauth/2.0/token') return giveToken(exchange, searchParams, state);
    if (searchParams.get('access_token') !== tokenOf(state.good ?? state.tokens)) {
      const usual = { error_code: 110, error_msg: 'Access token invalid or no longer valid' };
      return json(state.refusal ?? usual)(exchange);
    }
    if (state.failure) return json({ ...state.failure, id: 'as-1' })(exchange);
    const { stream, functions, messages } = exchange.json();
    const last = (messages as { role: string }[]).at(-1);
    if (functions !== undefined && last?.role !== 'function') return callFunction(exchange, stream === true);
    if (stream !== true) return json(fields(false, 'Paris is mild.', 5))(exchange);
    exchange.head(200, sseHeaders);
    await exchange.write(event({ ...fields(false, 'Paris ', 2), sentence_id: 0, is_end: false }));
    await exchange.write(event({ ...fields(true, 'is mild.', 5), sentence_id: 1 }));
    await exchange.end();
  };

/** Asks for the first function, with a thought of its own. */
async function callFunction(exchange: FakeExchange, isStream: boolean): Promise<void> {
  const call = { name: 'weather', arguments: '{"city":"Paris"}', thoughts: 'I have to look.' };
  const asked = { ...fields(isStream, '', 5), finish_reason: 'function_call', function_call: call };
  if (!isStream) return json(asked)(exchange);
  exchange.head(200, sseHeaders);
  await exchange.end(event({ ...asked, sentence_id: 0 }));
}

function giveToken(exchange: FakeExchange, asked: URLSearchParams, state: BaiduState): Promise<void> | void {
  const [id, secret] = baiduKey.split('|');
  const isRight =
    asked.get('grant_type') === 'client_credentials' &&
    asked.get('client_id') === id &&
    asked.get('client_secret') === secret;
  if (!isRight) {
    return json({ error: 'invalid_client', error_description: 'unknown client id' }, 401)(exchange);
  }
  state.tokens += 1;
  return json({
    access_token: tokenOf(state.tokens),
    expires_in: 2_592_000,
    refresh_token: '25.b55f',
    scope: 'public',
  })(exchange);
}
