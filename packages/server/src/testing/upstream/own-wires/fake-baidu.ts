import type { FakeExchange } from '../fake-upstream-exchange.ts';
import { type Behaviour, json, type ModelBehaviour } from '../fake-upstream-scripts.ts';

// Baidu's first API, as documented: a token for two halves of a key, failures with a success status and a code.

export const baiduKey = 'baidu-api-key|baidu-secret-key';
const tokenOf = (count: number) => `24.6c5e1ff107f0e8bcef8c46d3424a0e78.2592000.1485516651.282335-${count}`;

export interface BaiduState {
  /** Number of issued tokens. */
  tokens: number;
  /** The number of the valid token; by default the last one issued. */
  good?: number;
  /** Error of calls with another token. */
  refusal?: { error_code: number; error_msg: string };
}

/** A failure in the vendor's format. */
export const baiduFailure = (code: number, words: string): ModelBehaviour =>
  json({ error_code: code, error_msg: words, id: 'as-1' });

/** Issues tokens, and refuses calls without a valid one or with an invalid body; passes all others on to `answer`. */
export const baidu =
  (state: BaiduState, answer: Behaviour): Behaviour =>
  async (exchange) => {
    const { pathname, searchParams } = new URL(exchange.path, 'http://baidu.test');
    if (pathname === '/oauth/2.0/token') return giveToken(exchange, searchParams, state);
    if (searchParams.get('access_token') !== tokenOf(state.good ?? state.tokens)) {
      const usual = { error_code: 110, error_msg: 'Access token invalid or no longer valid' };
      return json(state.refusal ?? usual)(exchange);
    }
    const fault = faultOf(exchange.json());
    return fault === undefined ? answer(exchange) : baiduFailure(...fault)(exchange);
  };

interface Message {
  role: string;
  content: string;
  name?: string;
  function_call?: { name: string };
}

/** Error of a chat: turns alternate and start and end with the user's, and numbers have bounds. */
function faultOf(body: Record<string, unknown>): [code: number, words: string] | undefined {
  const { messages, temperature, max_output_tokens: bound, penalty_score: penalty } = body;
  const turns = messages as Message[];
  if (turns.length % 2 === 0) return [336_006, 'the length of messages must be an odd number'];
  for (const [index, { role, content, name, function_call: call }] of turns.entries()) {
    const isTurn = index % 2 === 0 ? role === 'user' || role === 'function' : role === 'assistant';
    if (!isTurn) return [336_003, `the role of message ${index} is out of turn: ${role}`];
    if (content === '' && !call) return [336_003, `the content of message ${index} can not be empty`];
    const asked = turns[index - 1]?.function_call?.name;
    if (role === 'function' && name !== asked) return [336_003, `message ${index} answers no function_call`];
  }
  const isWithin = (value: unknown, least: number, most: number): boolean =>
    value === undefined || (typeof value === 'number' && value >= least && value <= most);
  // The upper limit of the output depends on the model.
  const isGood =
    isWithin(temperature, Number.MIN_VALUE, 1) && isWithin(bound, 2, Infinity) && isWithin(penalty, 1, 2);
  return isGood ? undefined : [336_001, 'Invalid Argument'];
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
