import { inputTokens, outputTokens } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type Channel, refuse, RelayError } from '../../relay/types/index.ts';
import {
  failedPart,
  type FullChannel,
  type HealthId,
  isFull,
  isLimitReason,
  mayRetry,
  type Reservation,
  type TriedIds,
} from '../../services/calls/routing/index.ts';
import type { AttemptResult } from '../answer/index.ts';
import type { AttemptedCall } from '../../services/site/traces/index.ts';
import {
  type AttemptRecord,
  callInLog,
  type FailedTries,
  type GatewayDeps,
  type RelayCall,
} from '../call/index.ts';
import { inGroup, type RouteDeps, routeOf, standIn } from './choose.ts';

export type Failed = Extract<AttemptResult, { kind: 'failed' }>;
type Answer = Exclude<AttemptResult, Failed>;

/** An attempt that did not fail: an answer, however it ended, the open socket of a session, or an accepted task. */
type Success = Answer | { kind: 'opened' } | { kind: 'accepted' };

/** The channel that did not fail, its result, and all attempts. */
export interface FailoverOutcome<Result extends Success = Answer> {
  channel: Channel;
  result: Result;
  tries: AttemptRecord[];
  /** Of an open session, which ends it; all others have ended. */
  reservation?: Reservation | undefined;
}

/** Work that is tried on channels: a call, the start of a session, or the submission of a task. */
export interface Tried<Result extends Success> {
  call: Parameters<typeof callInLog>[0];
  /** The request; the error of a channel may repeat its text. */
  asked: JsonObject;
  /** Description of an attempt in a trace. */
  traced: Omit<AttemptedCall, 'channel'>;
  first: Channel;
  /** Expected tokens, for limits of channels. */
  tokens: number;
  attempt(channel: Channel): Promise<Result | Failed>;
  /** The next channel, or the same with another key, none of `tried`, if there is one; `left` attempts may follow it. */
  next(tried: TriedIds, left: number): Channel | null | undefined;
  /** True if the caller's key or its request selects the channel: no other is tried. */
  isPinned: boolean;
  /** Attempts beyond the first. */
  retries: number;
  /** True if no caller waits for the answer any more. */
  isOver?(): boolean;
}

/**
 * This channel cannot serve such a request, another one may: nothing was sent, and the channel does not count as failing.
 */
const cannotServe = ({ code, blame }: Pick<RelayError, 'code' | 'blame'>): boolean =>
  code === 'cannot_translate' ||
  code === 'invalid_api_type' ||
  // No separate price here; an upstream with this error has failed.
  (code === 'model_price_error' && blame !== 'channel');

/** The channels that a failed call was sent to. */
export const channelsAsked = (tries: readonly AttemptRecord[]): number =>
  tries.filter(
    ({ reason = '' }) => !isLimitReason(reason) && !cannotServe({ code: reason, blame: 'channel' }),
  ).length;

/** A failure after which another channel may be tried; throws any other failure, because every channel would have it. */
export function channelFailure(thrown: unknown): RelayError {
  if (thrown instanceof RelayError && (cannotServe(thrown) || thrown.blame === 'channel')) return thrown;
  throw thrown;
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
 * A relay call in the form that is tried on the channels of its group, and then of further ones. Each group has the same
 * number of attempts.
 */
export function triedCall<Result extends Success>(
  deps: RouteDeps & Pick<GatewayDeps, 'retryTimes'>,
  relayCall: RelayCall,
  group: string,
  first: Channel,
  attempt: Tried<Result>['attempt'],
  further: readonly string[] = [],
  /** The model that serves the call in place of its own. */
  instead?: string,
): Tried<Result> {
  const { inbound, facts, caller, client } = relayCall;
  const { model, stream } = facts;
  const groups = [group, ...further];
  const routes = groups.map((name) => routeOf(deps, relayCall, name));
  const standIns = instead === undefined ? deps.fallbacksOf(model).length : 0;
  const attempts = deps.retryTimes() + 1;
  /** The group in use. */
  let place = 0;
  return {
    call: relayCall,
    asked: relayCall.json,
    traced: { kind: inbound.id, model, stream },
    first,
    tokens: facts.estimatedInputTokens,
    attempt,
    next(tried, left) {
      if (instead !== undefined) return standIn(deps, relayCall, groups, tried, [instead]);
      for (; place < groups.length; place += 1) {
        const ofOthers = (groups.length - 1 - place) * attempts + standIns;
        const channel = left >= ofOthers ? deps.routing.choose(routes[place]!, tried) : null;
        if (channel) return inGroup(channel, groups[place]!, groups);
      }
      return standIn(deps, relayCall, groups, tried);
    },
    isPinned: caller.pinnedChannelId > 0 || relayCall.isBound === true,
    // Each fallback model has one attempt, independent of the number of attempts of its predecessors.
    retries: groups.length * attempts - 1 + standIns,
    isOver: () => client.closed,
  };
}

/**
 * Tries channels until one answers. A channel that failed is not tried again, unless one of its keys did; all channels of a priority are tried before the next
 * priority, and only failures of channels are retried. A channel that cannot serve the request, or has reached a limit, does not count as an attempt.
 * If only channels at their limits are left, the call waits for one of them.
 * Nothing is retried once a byte of an answer was sent.
 */
export async function tryChannels<Result extends Success>(
  deps: Pick<GatewayDeps, 'routing' | 'log' | 'onFailure' | 'attempts' | 'limits'>,
  request: Tried<Result>,
): Promise<FailoverOutcome<Result>> {
  const { call, asked, traced, isPinned } = request;
  const { trace } = call;
  const tries: AttemptRecord[] = [];
  let tried: Set<HealthId> | undefined;
  let left = request.retries;
  let failure: FailedCall | undefined;
  let channel = request.first;
  let reservation: Reservation | undefined;
  let full: FullChannel[] | undefined;
  for (;;) {
    const startedAt = performance.now();
    if (channel.limits && !reservation) {
      const taken = await deps.limits.reserve(channel, request.tokens);
      if (isFull(taken)) {
        tries.push({ channelId: channel.id, ms: 0, key: channel.chosenKey, reason: taken.reason });
        (full ??= []).push(taken);
        tried = (tried ?? new Set<HealthId>()).add(taken.id);
        ({ channel, reservation } = await nextPlace(deps, request, { tried, left, full, tries, failure }));
        continue;
      }
      reservation = taken;
    }
    let result: Result | Failed | undefined;
    deps.routing.begins(channel);
    if (trace) trace.tryBegins({ ...traced, channel });
    try {
      result = await request.attempt(channel);
    } finally {
      deps.routing.ends(channel);
      // A session keeps its place until it ends.
      if (reservation && result?.kind !== 'opened') reservation.end(result && tokensOf(result));
    }
    if (trace) trace.tryEnds(result.kind === 'failed' ? result.error : undefined);
    const ms = Math.round(performance.now() - startedAt);
    if (result.kind !== 'failed') {
      const broken = brokenBy(result);
      deps.attempts.attempted(channel, traced.model, broken);
      if (broken) deps.onFailure(channel, broken, asked);
      else noteSuccess(deps, channel);
      tries.push({ channelId: channel.id, ms, key: channel.chosenKey });
      return { channel, result, tries, reservation };
    }
    const error = mapStatus(result.error, channel);
    tries.push({
      channelId: channel.id,
      ms,
      key: channel.chosenKey,
      reason: error.code,
      status: error.status,
    });
    const isUnable = cannotServe(error);
    // The channel's health depends on its real status; the caller gets the mapped one.
    if (!isUnable) {
      deps.onFailure(channel, result.error, asked);
      deps.attempts.attempted(channel, traced.model, result.error);
    }
    // The caller gets the failure of a channel rather than the error that the next one cannot serve the request.
    if (!isUnable || !failure) failure = new FailedCall(error, channel, tries);
    const again = isUnable
      ? !isPinned
      : left > 0 && mayRetry(error, { pinned: isPinned, channelType: channel.type });
    if (!again || request.isOver?.()) throw failure;
    if (!isUnable) left -= 1;
    tried = (tried ?? new Set<HealthId>()).add(isUnable ? channel.id : failedPart(channel, result.error));
    const from = channel.id;
    ({ channel, reservation } = await nextPlace(deps, request, { tried, left, full, tries, failure }));
    faultPoint('before-failover');
    deps.log.info({ ...callInLog(call), from, to: channel.id, status: error.status }, 'retry');
  }
}

/** A channel for the next attempt; reserved if the call has waited for it. */
interface Place {
  channel: Channel;
  reservation?: Reservation | undefined;
}

interface Progress {
  tried: TriedIds;
  left: number;
  /** The channels that were skipped for their limits. */
  full: FullChannel[] | undefined;
  tries: AttemptRecord[];
  failure: FailedCall | undefined;
}

/** The next channel, or the first free one of those at their limits. Throws the failure of the call without one. */
async function nextPlace<Result extends Success>(
  { limits }: Pick<GatewayDeps, 'limits'>,
  request: Tried<Result>,
  { tried, left, full, tries, failure }: Progress,
): Promise<Place> {
  const channel = request.isPinned ? undefined : request.next(tried, left);
  if (channel) return { channel };
  if (!full) throw failure!;
  const isOver = () => request.isOver?.() ?? false;
  const free = await limits.waitFor({ channels: full, tokens: request.tokens, isOver });
  if (!free) throw failure ?? allFull(full, tries);
  full.splice(0, full.length, ...full.filter((each) => each.channel !== free.channel));
  return free;
}

/** Error of a call that found all channels at their limits. */
function allFull(full: readonly FullChannel[], tries: AttemptRecord[]): FailedCall {
  const waitMs = Math.min(...full.map((each) => each.waitMs));
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new FailedCall(refuse('upstream_saturated', {}, { retryAfterSeconds }), full.at(-1)!.channel, tries);
}

/** Tokens of an attempt for the limits of its channel; undefined if they are not known. */
function tokensOf(result: Success | Failed): number | undefined {
  if (result.kind === 'failed') return 0;
  const usage = 'end' in result ? result.end.usage : undefined;
  return usage && inputTokens(usage) + outputTokens(usage);
}

function noteSuccess({ routing }: Pick<GatewayDeps, 'routing'>, { id, chosenKey }: Channel): void {
  routing.health.succeeded(id);
  if (chosenKey) routing.health.succeeded(chosenKey.id);
}

/** Reason why an answer that had started is incomplete, if its channel caused it; undefined otherwise. */
export function brokenBy(result: Success): RelayError | undefined {
  if (result.kind !== 'answered' || result.end.outcome === 'complete') return undefined;
  return result.end.error ?? refuse('upstream_broken');
}

/** The call failed on every channel that was tried; has the error for the caller and the details for the log. */
export class FailedCall extends Error implements FailedTries {
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
