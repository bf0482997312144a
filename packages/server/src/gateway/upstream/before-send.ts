import { LRUCache } from 'lru-cache';
import type { Clock, Sleep } from '../../lib/clock.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Http } from '../../lib/outbound/http.ts';
import {
  type Channel,
  type FetchedFile,
  type Provider,
  type Question,
  type RelayError,
  type SendTools,
  type UpstreamCall,
  refuse,
} from '../../relay/types/index.ts';
import { hopHeader } from '../call/index.ts';
import { unanswered } from './unanswered.ts';

/** Timeout for a vendor to issue a token or accept a file. */
const questionTimeoutMs = 30_000;
/** The call itself has the same timeout as one that is sent directly (`wholeAnswerMs`). */
const callTimeoutMs = 600_000;
const maxAnswerBytes = 1024 * 1024;
/** Tokens cached at once; a channel has one or two. */
const maxTokens = 5_000;

interface CachedToken {
  value: Promise<string>;
  /** The token once it was issued; '' before. */
  made: string;
  /** Unix ms; Infinity while the token is being issued. */
  expiresAtMs: number;
}

/** The side effects of waiting, fetching and renewing; tests replace them. */
export interface SendEffects {
  sleep: Sleep;
  /** Fetches a file from a public address. */
  fetchFile(url: string): Promise<FetchedFile>;
  /** The key of a stored channel, renewed if it has expired (services/calls/channels). */
  renewKey(
    channelId: number,
    renewal: {
      isGood(key: string): boolean;
      renew(key: string): Promise<string>;
      sleep(ms: number): Promise<void>;
    },
  ): Promise<string>;
}

interface BeforeSendDeps extends SendEffects {
  http: Pick<Http, 'request'>;
  clock: Clock;
}

/** Runs the provider's preparation of a written call before it is sent. */
type Step = (
  provider: Provider,
  channel: Channel,
  call: UpstreamCall,
  /** Cancels waiting; absent for Tollgate's own calls. */
  cancellation?: { readonly signal: AbortSignal },
) => Promise<UpstreamCall>;

/** The step between writing a call and sending it, with its cached tokens. */
export interface BeforeSend extends Step {
  /** Discards the tokens of a call if its failure rejects them; false for any other failure. */
  dropRejectedToken(provider: Provider, call: UpstreamCall, error: RelayError): boolean;
}

/** Creates the step between writing and sending, with the tokens of this process. */
export function createBeforeSend(deps: BeforeSendDeps): BeforeSend {
  const cache = new LRUCache<string, CachedToken>({ max: maxTokens });
  const tokensByCall = new WeakMap<UpstreamCall, TokensByKey>();
  const step: Step = async (provider, channel, call, cancellation) => {
    if (!provider.beforeSend) return call;
    const tokens: TokensByKey = new Map();
    const context = { deps, cache, provider, channel, cancellation, tokens };
    const ready = await provider.beforeSend(call, channel, toolsFor(context));
    if (tokens.size > 0) tokensByCall.set(ready, tokens);
    return ready;
  };
  return Object.assign(step, {
    dropRejectedToken(provider: Provider, call: UpstreamCall, error: RelayError): boolean {
      const tokens = tokensByCall.get(call);
      if (!tokens || !provider.refusesToken?.(error)) return false;
      for (const [key, value] of tokens) expire(cache, key, value);
      return true;
    },
  });
}

/** The tokens in a call, by their cache keys. */
type TokensByKey = Map<string, string>;

/** Another call may have discarded it already, and a newer token be cached. */
function expire(cache: LRUCache<string, CachedToken>, key: string, value: string): void {
  const found = cache.peek(key);
  if (found?.made === value) found.expiresAtMs = 0;
}

/** Creates the same tools for calls without a `beforeSend`: those about tasks. */
export function createSendTools(deps: BeforeSendDeps): (provider: Provider, channel: Channel) => SendTools {
  const cache = new LRUCache<string, CachedToken>({ max: maxTokens });
  return (provider, channel) =>
    toolsFor({ deps, cache, provider, channel, cancellation: undefined, tokens: new Map() });
}

interface ToolsContext {
  deps: BeforeSendDeps;
  cache: LRUCache<string, CachedToken>;
  provider: Provider;
  channel: Channel;
  cancellation: { readonly signal: AbortSignal } | undefined;
  tokens: TokensByKey;
}

function toolsFor({ deps, cache, provider, channel, cancellation, tokens }: ToolsContext): SendTools {
  // The channel's key is part of the cache key, so that a token is not used after its key changed.
  const prefix = `${provider.id} ${channel.id} ${sha256(channel.key)} `;
  return {
    nowMs: deps.clock,
    async token(name, make) {
      const value = await obtainToken(cache, prefix + name, deps.clock, make);
      tokens.set(prefix + name, value);
      return value;
    },
    // Calls that wait for the same token share it, so the cancellation of one of them does not cancel it.
    renewKey: (isGood, renew) => deps.renewKey(channel.id, { isGood, renew, sleep: (ms) => deps.sleep(ms) }),
    ask: (question) => ask(deps, channel, question, question.isCall ? cancellation?.signal : undefined),
    sleep: (ms) => deps.sleep(ms, cancellation?.signal),
    fetchFile: (url) => fetchForCall(deps, url),
  };
}

function obtainToken(
  cache: LRUCache<string, CachedToken>,
  key: string,
  clock: Clock,
  make: Parameters<SendTools['token']>[1],
): Promise<string> {
  const found = cache.get(key);
  if (found && found.expiresAtMs > clock()) return found.value;
  const refused = found?.expiresAtMs === 0 ? found.made : undefined;
  const token: CachedToken = { expiresAtMs: Infinity, made: '', value: Promise.resolve('') };
  token.value = make(refused).then(
    ({ value, expiresAtMs }) => {
      token.expiresAtMs = expiresAtMs;
      token.made = value;
      return value;
    },
    (error: unknown) => {
      // A token that was rejected before stays rejected.
      if (cache.peek(key) === token && refused !== undefined && found) cache.set(key, found);
      else if (cache.peek(key) === token) cache.delete(key);
      throw error;
    },
  );
  cache.set(key, token);
  return token.value;
}

async function ask(
  deps: BeforeSendDeps,
  channel: Channel,
  { isCall, ...question }: Question,
  signal: AbortSignal | undefined,
) {
  const timeoutMs = isCall ? callTimeoutMs : questionTimeoutMs;
  try {
    const { status, body } = await deps.http.request(
      {
        ...question,
        headers: { ...question.headers, [hopHeader]: '1' },
        scope: 'operator',
        proxy: channel.setting.proxy,
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxAnswerBytes,
      signal,
    );
    return { status, body };
  } catch (cause) {
    throw unanswered('vendor_question_failed', cause);
  }
}

async function fetchForCall(deps: BeforeSendDeps, url: string): Promise<FetchedFile> {
  try {
    return await deps.fetchFile(url);
  } catch (cause) {
    throw refuse('vendor_file_missing', {}, { cause });
  }
}
