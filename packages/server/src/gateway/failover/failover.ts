import { channelStatus } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import type { Log } from '../../lib/log.ts';
import { type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import { mayRetry, type Routing } from '../../services/calls/routing/index.ts';
import type { AttemptResult } from '../answer/index.ts';
import { type Admission, callInLog, type RelayCall } from '../call/index.ts';

export interface FailoverDeps {
  routing: Routing;
  /** Option RetryTimes: tries beyond the first. */
  retryTimes(): number;
  log: Log;
  /** Called for each failed attempt, and for an answer that broke off: health, auto-disable, statistics. Must not wait. */
  onFailure(channel: Channel, error: RelayError): void;
}

/** One attempt, for the log row and the receipt. */
export interface AttemptRecord {
  channelId: number;
  ms: number;
  /** Absent for the attempt that answered. */
  reason?: string;
  status?: number;
}

type Failed = Extract<AttemptResult, { kind: 'failed' }>;
type Answer = Exclude<AttemptResult, Failed>;

/** An attempt that did not fail: an answer, however it ended, or the open socket of a realtime session. */
type Success = Answer | { kind: 'opened' };

/** The channel that did not fail, its result, and all attempts. */
export interface FailoverOutcome<Result extends Success = Answer> {
  channel: Channel;
  result: Result;
  tries: AttemptRecord[];
}

/** The request, and the channel of the first attempt. */
interface FailoverRequest {
  relayCall: RelayCall;
  admission: Pick<Admission, 'group'>;
  first: Channel;
}

/**
 * Why a group has no channel for a model: nobody offers it (404), or not there (503, which a retry cures where the group's
 * channels are only disabled).
 */
export function noChannel(
  { routing }: Pick<FailoverDeps, 'routing'>,
  group: string,
  model: string,
): RelayError {
  const offered = routing.offered(group, model);
  if (offered === 'nowhere') return refuse('model_not_found', { model });
  return refuse('no_available_channel', { group, model }, { isFinal: offered === 'elsewhere' });
}

/** The channel that an administrator's key selects (docs/compatibility.md#channel-selection, step 4). */
function pinned(deps: FailoverDeps, id: number): Channel {
  const routed = deps.routing.byId(id);
  if (!routed) throw refuse('pinned_channel_unknown');
  if (routed.status !== channelStatus.enabled) throw refuse('channel_disabled');
  return routed.channel;
}

/**
 * This channel cannot serve such a request, another one may: nothing was sent, and the channel does not count as failing.
 */
const cannotServe = ({ code }: Pick<RelayError, 'code'>): boolean =>
  code === 'cannot_translate' || code === 'invalid_api_type';

/** The channels of a failed call that were asked. */
export const channelsAsked = (tries: readonly AttemptRecord[]): number =>
  tries.filter(({ reason = '' }) => !cannotServe({ code: reason })).length;

/** A failure after which another channel may be tried; throws any other, which every channel would have. */
export function channelFailure(thrown: unknown): RelayError {
  if (thrown instanceof RelayError && (cannotServe(thrown) || thrown.blame === 'channel')) return thrown;
  throw thrown;
}

const noChannels: ReadonlySet<number> = new Set();

/** The channel of the first attempt; throws the error of docs/compatibility.md#channel-selection when there is none. */
export function firstChannel(deps: FailoverDeps, relayCall: RelayCall, group: string): Channel {
  const { caller, facts } = relayCall;
  if (caller.pinnedChannelId > 0) return pinned(deps, caller.pinnedChannelId);
  const channel = deps.routing.choose(group, facts.model, noChannels, facts.estimatedInputTokens);
  if (!channel) throw noChannel(deps, group, facts.model);
  return channel;
}

/**
 * An upstream's status as the channel maps it (docs/compatibility.md#steps-of-a-chat-call status_code_mapping),
 * before anything depends on it.
 */
function mapStatus(error: RelayError, channel: Channel): RelayError {
  const mapped = Number(channel.statusCodeMapping[String(error.status)]);
  if (!Number.isInteger(mapped) || mapped < 400 || mapped > 599) return error;
  return error.copy({ status: mapped });
}

/**
 * Tries channels until one answers. A channel that failed is not tried again, all channels of a priority are tried before the next
 * priority, and only failures of channels are retried. A channel that cannot serve the request does not count as an attempt.
 * Nothing is retried once a byte of an answer was sent.
 */
export async function tryChannels<Result extends Success>(
  deps: FailoverDeps,
  { relayCall, admission, first }: FailoverRequest,
  attempt: (channel: Channel) => Promise<Result | Failed>,
): Promise<FailoverOutcome<Result>> {
  const tries: AttemptRecord[] = [];
  let tried: Set<number> | undefined;
  let channel = first;
  let left = deps.retryTimes();
  let failure: FailedCall | undefined;
  const { trace } = relayCall;
  const { model, stream, estimatedInputTokens } = relayCall.facts;
  for (;;) {
    const startedAt = performance.now();
    if (trace) trace.tryBegins({ channel, kind: relayCall.inbound.id, model, stream });
    const result = await attempt(channel);
    if (trace) trace.tryEnds(result.kind === 'failed' ? result.error : undefined);
    const ms = Math.round(performance.now() - startedAt);
    if (result.kind !== 'failed') {
      const broken = brokenBy(result);
      if (broken) deps.onFailure(channel, broken);
      else deps.routing.health.succeeded(channel.id);
      tries.push({ channelId: channel.id, ms });
      return { channel, result, tries };
    }
    const error = mapStatus(result.error, channel);
    tries.push({ channelId: channel.id, ms, reason: error.code, status: error.status });
    const isUnable = cannotServe(error);
    // The channel's health depends on its real status; the caller gets the mapped one.
    if (!isUnable) deps.onFailure(channel, result.error);
    // The caller gets the failure of a channel rather than the error that the next one cannot serve the request.
    if (!isUnable || !failure) failure = new FailedCall(error, channel, tries);
    const isPinned = relayCall.caller.pinnedChannelId > 0;
    const again = isUnable
      ? !isPinned
      : left > 0 && mayRetry(error, { pinned: isPinned, channelType: channel.type });
    if (!again || relayCall.client.closed) throw failure;
    if (!isUnable) left -= 1;
    tried = (tried ?? new Set<number>()).add(channel.id);
    const next = deps.routing.choose(admission.group, model, tried, estimatedInputTokens);
    if (!next) throw failure;
    faultPoint('before-failover');
    deps.log.info({ ...callInLog(relayCall), from: channel.id, to: next.id, status: error.status }, 'retry');
    channel = next;
  }
}

/** Why an answer that had started is incomplete, if its channel is to blame; undefined otherwise. */
export function brokenBy(result: Success): RelayError | undefined {
  if (result.kind !== 'answered' || result.end.outcome === 'complete') return undefined;
  return result.end.error ?? refuse('upstream_broken');
}

/** The call failed on every channel that was tried; has the error for the caller and the details for the log. */
export class FailedCall extends Error {
  readonly error: RelayError;
  readonly channel: Channel;
  readonly tries: AttemptRecord[];

  constructor(error: RelayError, channel: Channel, tries: AttemptRecord[]) {
    super(error.message, { cause: error });
    this.name = 'FailedCall';
    this.error = error;
    this.channel = channel;
    this.tries = tries;
  }
}
