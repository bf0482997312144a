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

interface KeptToken {
  value: Promise<string>;
  /** The token once it was issued; '' before. */
  made: string;
  /** Unix ms; Infinity while the token is being issued. */
  expiresAtMs: number;
}

/** The side effects of waiting, fetching and renewing; tests replace them. */
export interface SendEdges {
  sleep: Sleep;
  /** Fetches a file from a public address. */
  fetchFile(url: string): Promise<FetchedFile>;
  /** The key of a stored channel, renewed if it has expired (services/channels). */
  renewKey(
    channelId: number,
    renewal: {
      isGood(key: string): boolean;
      renew(key: string): Promise<string>;
      sleep(ms: number): Promise<void>;
    },
  ): Promise<string>;
}

interface BeforeSendDeps extends SendEdges {
  http: Pick<Http, 'request'>;
  clock: Clock;
}

/** Does what a provider needs with a written call before it is sent. */
type Step = (
  provider: Provider,
  channel: Channel,
  call: UpstreamCall,
  /** Cancels waiting; absent for Tollgate's own calls. */
  cancellation?: { readonly signal: AbortSignal },
) => Promise<UpstreamCall>;

/** The step between writing a call and sending it, with its cached tokens. */
export interface BeforeSend extends Step {
  /** Discards the tokens that a call was sent with if its failure rejects them; false for any other failure. */
  gaveUpToken(provider: Provider, call: UpstreamCall, error: RelayError): boolean;
}

/** Creates the step between writing and sending, with the tokens of this process. */
export function createBeforeSend(deps: BeforeSendDeps): BeforeSend {
  const kept = new LRUCache<string, KeptToken>({ max: maxTokens });
  const carried = new WeakMap<UpstreamCall, CarriedTokens>();
  const step: Step = async (provider, channel, call, cancellation) => {
    if (!provider.beforeSend) return call;
    const tokens: CarriedTokens = new Map();
    const place = { deps, kept, provider, channel, cancellation, tokens };
    const ready = await provider.beforeSend(call, channel, toolsFor(place));
    if (tokens.size > 0) carried.set(ready, tokens);
    return ready;
  };
  return Object.assign(step, {
    gaveUpToken(provider: Provider, call: UpstreamCall, error: RelayError): boolean {
      const tokens = carried.get(call);
      if (!tokens || !provider.refusesToken?.(error)) return false;
      for (const [key, value] of tokens) giveUp(kept, key, value);
      return true;
    },
  });
}

/** The tokens in a call, by their cache keys. */
type CarriedTokens = Map<string, string>;

/** Another call may have discarded it already, and a newer token be cached. */
function giveUp(kept: LRUCache<string, KeptToken>, key: string, value: string): void {
  const found = kept.peek(key);
  if (found?.made === value) found.expiresAtMs = 0;
}

/** Creates the same tools for calls without a `beforeSend`: those about tasks. */
export function createSendTools(deps: BeforeSendDeps): (provider: Provider, channel: Channel) => SendTools {
  const kept = new LRUCache<string, KeptToken>({ max: maxTokens });
  return (provider, channel) =>
    toolsFor({ deps, kept, provider, channel, cancellation: undefined, tokens: new Map() });
}

interface Workplace {
  deps: BeforeSendDeps;
  kept: LRUCache<string, KeptToken>;
  provider: Provider;
  channel: Channel;
  cancellation: { readonly signal: AbortSignal } | undefined;
  tokens: CarriedTokens;
}

function toolsFor({ deps, kept, provider, channel, cancellation, tokens }: Workplace): SendTools {
  // The channel's key is part of the cache key, so that a token is not used after its key changed.
  const prefix = `${provider.id} ${channel.id} ${sha256(channel.key)} `;
  return {
    nowMs: deps.clock,
    async token(name, make) {
      const value = await tokenOf(kept, prefix + name, deps.clock, make);
      tokens.set(prefix + name, value);
      return value;
    },
    // Calls that wait for the same token share it, so the cancellation of one of them does not cancel it.
    renewKey: (isGood, renew) => deps.renewKey(channel.id, { isGood, renew, sleep: (ms) => deps.sleep(ms) }),
    ask: (question) => ask(deps, channel, question, question.isCall ? cancellation?.signal : undefined),
    sleep: (ms) => deps.sleep(ms, cancellation?.signal),
    fetchFile: (url) => fetchNamed(deps, url),
  };
}

function tokenOf(
  kept: LRUCache<string, KeptToken>,
  key: string,
  clock: Clock,
  make: Parameters<SendTools['token']>[1],
): Promise<string> {
  const found = kept.get(key);
  if (found && found.expiresAtMs > clock()) return found.value;
  const refused = found?.expiresAtMs === 0 ? found.made : undefined;
  const token: KeptToken = { expiresAtMs: Infinity, made: '', value: Promise.resolve('') };
  token.value = make(refused).then(
    ({ value, expiresAtMs }) => {
      token.expiresAtMs = expiresAtMs;
      token.made = value;
      return value;
    },
    (error: unknown) => {
      // A token that was rejected before stays rejected.
      if (kept.peek(key) === token && refused !== undefined && found) kept.set(key, found);
      else if (kept.peek(key) === token) kept.delete(key);
      throw error;
    },
  );
  kept.set(key, token);
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

async function fetchNamed(deps: BeforeSendDeps, url: string): Promise<FetchedFile> {
  try {
    return await deps.fetchFile(url);
  } catch (cause) {
    throw refuse('vendor_file_missing', {}, { cause });
  }
}
