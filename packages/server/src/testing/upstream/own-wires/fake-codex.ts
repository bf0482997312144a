import type { FakeExchange } from '../fake-upstream-exchange.ts';
import { type Behaviour, json } from '../fake-upstream-scripts.ts';

// Codex behind a ChatGPT account: logins with single-use refresh tokens, and responses that are streamed and never
// stored.

const account = 'account-4711';
const tokenOf = (count: number) => `codex-access-${count}`;
const wordOf = (count: number) => `codex-refresh-${count}`;

export interface CodexState {
  /** Number of the valid login: its tokens have this number. */
  login: number;
  /** Granted renewals, and those with a spent refresh token. */
  renewals: number;
  spentTwice: number;
  /** Reported lifetime of a login in seconds. */
  lifeSeconds: number;
  /** Bodies of the response calls. */
  asked: Record<string, unknown>[];
  /** Failure of a response call. */
  failure?: { status: number; body: object };
  /** Failure of a renewal. */
  refusal?: { status: number; body: object };
}

export const codexState = (): CodexState => ({
  login: 1,
  renewals: 0,
  spentTwice: 0,
  lifeSeconds: 864_000,
  asked: [],
});

/** The channel key for the login of that number; `tokenUri` is its renewal address. */
export const codexKey = (login: number, tokenUri: string, more: object = {}): string =>
  JSON.stringify(
    {
      access_token: tokenOf(login),
      refresh_token: wordOf(login),
      account_id: account,
      email: 'owner@codex.test',
      type: 'codex',
      token_uri: tokenUri,
      ...more,
    },
    null,
    2,
  );

const known = new Set(
  `model input instructions tools tool_choice parallel_tool_calls reasoning text include prompt_cache_key store stream`.split(
    ' ',
  ),
);

/**
 * Answers renewals, and refuses calls without a valid login or with an invalid body; passes all others on to `answer`.
 * `state` has the counts and the configured failures.
 */
export const codex =
  (state: CodexState, answer: Behaviour): Behaviour =>
  async (exchange) => {
    if (exchange.path === '/oauth/token') return renew(exchange, state);
    if (exchange.path !== '/backend-api/codex/responses') return json({ detail: 'Not Found' }, 404)(exchange);
    const { headers } = exchange;
    if (headers.authorization !== `Bearer ${tokenOf(state.login)}`)
      return json({ detail: 'Could not validate your token. Please try signing in again.' }, 401)(exchange);
    if (headers['chatgpt-account-id'] !== account || headers['openai-beta'] !== 'responses=experimental')
      return json({ detail: 'Forbidden' }, 403)(exchange);
    const body = exchange.json() as Record<string, unknown>;
    state.asked.push(body);
    const fault = faultOf(body);
    if (fault !== undefined) return json({ detail: fault }, 400)(exchange);
    if (state.failure) return json(state.failure.body, state.failure.status)(exchange);
    return answer(exchange);
  };

function faultOf(body: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(body).find((name) => !known.has(name));
  if (unknown !== undefined) return `Unsupported parameter: ${unknown}`;
  if (body.store !== false) return 'Store must be set to false';
  if (body.stream !== true) return 'Stream must be set to true';
  if (typeof body.instructions !== 'string' || body.instructions === '') return 'Instructions are required';
  if (!Array.isArray(body.input)) return 'Input must be a list';
  const isSystem = (item: unknown) => (item as { role?: unknown }).role === 'system';
  return body.input.some(isSystem) ? 'System messages are not allowed' : undefined;
}

function renew(exchange: FakeExchange, state: CodexState): Promise<void> | void {
  const asked = new URLSearchParams(exchange.body.toString());
  if (state.refusal) return json(state.refusal.body, state.refusal.status)(exchange);
  if (
    asked.get('grant_type') !== 'refresh_token' ||
    asked.get('client_id') !== 'app_EMoamEEZ73f0CkXaXp7hrann'
  )
    return json({ error: 'invalid_request' }, 400)(exchange);
  if (asked.get('refresh_token') !== wordOf(state.login)) {
    state.spentTwice += 1;
    const message = 'Your refresh token has already been used to generate a new access token.';
    return json(
      { error: { message, type: 'invalid_request_error', code: 'refresh_token_reused' } },
      401,
    )(exchange);
  }
  state.login += 1;
  state.renewals += 1;
  return json({
    access_token: tokenOf(state.login),
    refresh_token: wordOf(state.login),
    expires_in: state.lifeSeconds,
    token_type: 'Bearer',
    scope: 'openid profile email offline_access',
  })(exchange);
}
