import { channelStatus } from '@tollgate/contract';
import { faultPoint } from '../lib/fault-point.ts';
import type { Log } from '../lib/log.ts';
import type { Channel } from '../relay/model/channel.ts';
import { refuse, RelayError } from '../relay/model/relay-error.ts';
import { mayRetry, type Routing } from '../services/routing/index.ts';
import type { AttemptResult } from './attempt.ts';
import type { Admission, Exchange } from './types.ts';

export interface LadderDeps {
  routing: Routing;
  /** Option RetryTimes: tries beyond the first. */
  retryTimes(): number;
  log: Log;
  /** Told of each failed try: health, auto-disable, statistics. Never waits. */
  onFailure(channel: Channel, error: RelayError): void;
}

/** One try, for the log row and the receipt. */
export interface Try {
  channelId: number;
  ms: number;
  /** Absent for the try that answered. */
  reason?: string;
  status?: number;
}

/** The channel that answered, how its answer ended, and every try that was made. */
export interface Climbed {
  channel: Channel;
  result: Exclude<AttemptResult, { kind: 'failed' }>;
  tries: Try[];
}

const noChannel = (group: string, model: string): RelayError =>
  refuse(503, 'no_available_channel', `当前分组 ${group} 下对于模型 ${model} 无可用渠道`);

/** The channel an administrator's key names (wire-facts 5.2, step 4). */
function pinned(deps: LadderDeps, id: number): Channel {
  const routed = deps.routing.byId(id);
  if (!routed) throw refuse(400, 'invalid_channel', '无效的渠道 Id');
  if (routed.status !== channelStatus.enabled) throw refuse(403, 'channel_disabled', '该渠道已被禁用');
  return routed.channel;
}

/**
 * This channel cannot carry such a request, another one may: nothing was sent, and nothing speaks against the channel.
 */
export const isUnsuited = (error: RelayError): boolean =>
  error.code === 'cannot_translate' || error.code === 'invalid_api_type';

const nothingTried: ReadonlySet<number> = new Set();

/** The channel of the first try; throws the 503 of wire-facts 5.2 when there is none. */
export function firstChannel(deps: LadderDeps, exchange: Exchange, group: string): Channel {
  const { caller, facts } = exchange;
  if (caller.pinnedChannelId > 0) return pinned(deps, caller.pinnedChannelId);
  const channel = deps.routing.choose(group, facts.model, nothingTried, facts.estimatedInputTokens);
  if (!channel) throw noChannel(group, facts.model);
  return channel;
}

/** An upstream's status as the channel maps it (wire-facts 5.3 status_code_mapping), before anyone judges it. */
function mapStatus(error: RelayError, channel: Channel): RelayError {
  const mapped = Number(channel.statusCodeMapping[String(error.status)]);
  if (!Number.isInteger(mapped) || mapped < 400 || mapped > 599) return error;
  return new RelayError({
    status: mapped,
    code: error.code,
    message: error.message,
    type: error.type,
    param: error.param,
    blame: error.blame,
    ...(error.original && { original: error.original }),
    cause: error,
  });
}

/**
 * Tries channels until one answers: a channel that failed is not tried again, a level is used up before the next,
 * and only failures of channels earn another try. A channel that cannot carry the request costs no try. Nothing is
 * retried once a byte of an answer has left.
 */
export async function climb(
  deps: LadderDeps,
  exchange: Exchange,
  admission: Admission,
  first: Channel,
  attempt: (channel: Channel) => AttemptResult | Promise<AttemptResult>,
): Promise<Climbed> {
  let tries: Try[] | undefined;
  let tried: Set<number> | undefined;
  let channel = first;
  let left = deps.retryTimes();
  let failure: FailedCall | undefined;
  for (;;) {
    const startedAt = performance.now();
    const result = await attempt(channel);
    const ms = Math.round(performance.now() - startedAt);
    if (result.kind !== 'failed') {
      deps.routing.health.succeeded(channel.id);
      return { channel, result, tries: withTry(tries, { channelId: channel.id, ms }) };
    }
    const error = mapStatus(result.error, channel);
    tries = withTry(tries, { channelId: channel.id, ms, reason: error.code, status: error.status });
    const unsuited = isUnsuited(error);
    // What the channel really said decides about the channel; what its mapping makes of it, about the caller.
    if (!unsuited) deps.onFailure(channel, result.error);
    // The caller learns why a channel failed rather than that the next one was of another kind.
    if (!unsuited || !failure) failure = new FailedCall(error, channel, tries);
    const isPinned = exchange.caller.pinnedChannelId > 0;
    const again = unsuited
      ? !isPinned
      : left > 0 && mayRetry(error, { pinned: isPinned, channelType: channel.type });
    if (!again || exchange.client.closed) throw failure;
    if (!unsuited) left -= 1;
    tried = (tried ?? new Set()).add(channel.id);
    const { model, estimatedInputTokens } = exchange.facts;
    const next = deps.routing.choose(admission.group, model, tried, estimatedInputTokens);
    if (!next) throw failure;
    faultPoint('K13');
    deps.log.info(
      { request: exchange.requestId, from: channel.id, to: next.id, status: error.status },
      'retry',
    );
    channel = next;
  }
}

/** Nearly always there is but one try, and a list that is made with it needs no room to grow. */
function withTry(tries: Try[] | undefined, next: Try): Try[] {
  if (!tries) return [next];
  tries.push(next);
  return tries;
}

/** The call failed on every channel that was tried; carries what the caller and the log should learn. */
export class FailedCall extends Error {
  readonly error: RelayError;
  readonly channel: Channel;
  readonly tries: Try[];

  constructor(error: RelayError, channel: Channel, tries: Try[]) {
    super(error.message, { cause: error });
    this.name = 'FailedCall';
    this.error = error;
    this.channel = channel;
    this.tries = tries;
  }
}

/** What the caller is told of a final failure: some truths are the operator's alone. */
export function publicError(error: RelayError): RelayError {
  if (error.blame !== 'channel') return error;
  if (error.status === 429) {
    return new RelayError({
      status: 429,
      code: error.code,
      message: '当前分组上游负载已饱和，请稍后再试',
      type: error.type,
      blame: 'channel',
      ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
      cause: error,
    });
  }
  // The channel's key was refused or its account is empty: that is not the caller's key or account (faults.md U9).
  if (error.status !== 401 && error.status !== 402) return error;
  return new RelayError({
    status: 502,
    code: 'upstream_rejected_channel',
    message:
      '上游拒绝了该渠道的凭证，请联系管理员；the upstream rejected this channel, please contact the administrator',
    blame: 'channel',
    cause: error,
  });
}
