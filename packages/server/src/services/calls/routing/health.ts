import { randomUUID } from 'node:crypto';
import type { Cache } from '../../../cache/index.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Channel, RelayError } from '../../../relay/types/index.ts';
import { channelMinutes, type Db } from '../../../store/index.ts';
import { isChannelFault, isKeyFault } from './again.ts';

/** When a channel gets a cooldown, in milliseconds. A channel in cooldown is used only if no other one is left. */
interface HealthRules {
  /** Failures within `windowMs` that start a cooldown. */
  failures: number;
  windowMs: number;
  /** The first cooldown; each consecutive one doubles, up to `maxCooldownMs`. */
  cooldownMs: number;
  maxCooldownMs: number;
  /** Longest wait that a vendor's header sets. */
  maxSaidMs: number;
}

/** Five failures in half a minute: enough to distinguish an outage from a single error, few enough to protect callers. */
const defaultHealthRules: HealthRules = {
  failures: 5,
  windowMs: 30_000,
  cooldownMs: 15_000,
  maxCooldownMs: 240_000,
  maxSaidMs: 3_600_000,
};

/** Rules for one of several keys: others are available, so its first refusal starts a cooldown. */
const keyRules: HealthRules = { ...defaultHealthRules, failures: 1 };

/** A channel by its number, or one of several keys of a channel by its id. */
export type HealthId = number | string;

/** The state of a failing channel or key (a circuit breaker). */
interface FailureState {
  failures: number;
  windowStart: number;
  /** Clock ms; 0 without a cooldown. */
  cooldownUntil: number;
  /** Consecutive cooldowns. */
  cooldowns: number;
  /** The vendor named the end of the cooldown. */
  isVendors: boolean;
  /** One request after a cooldown is testing whether the channel works again. */
  isProbing: boolean;
}

/** Events that change a channel's state: chosen after a cooldown, a failure, the success of a failing one. */
const healthEvents = ['chosen', 'failed', 'succeeded'] as const;
export type HealthEvent = (typeof healthEvents)[number];

/**
 * Remembers in memory which channels, and which of several keys, are failing. A channel with repeated failures gets a
 * cooldown. After it, a single request tests the channel, and only a success ends the state. No channel is disabled
 * permanently by this.
 */
export interface Health {
  /** False during a cooldown. */
  available(id: HealthId): boolean;
  /** Clock ms at which a cooldown ends; 0 without one. */
  cooldownUntil(id: HealthId): number;
  /** A request uses the channel: after a cooldown it is the only one until its result is known. */
  chosen(id: HealthId): void;
  /**
   * `waitMs`: time for which the vendor refuses calls; the cooldown starts at once and lasts that long. 0 if the vendor
   * named none.
   */
  failed(id: HealthId, waitMs?: number): void;
  /** Ends the state, unless a vendor's wait still runs: the call may be older than the refusal. */
  succeeded(id: HealthId): void;
  /** Applies an event of another process like an event of this one. */
  apply(what: HealthEvent, id: HealthId, waitMs: number): void;
  /** Removes the state of deleted or replaced channels and keys. */
  keepOnly(exists: (id: HealthId) => boolean): void;
}

/** Listener for events; `waitMs` belongs to a failure. */
type ReportHealth = (what: HealthEvent, id: HealthId, waitMs: number) => void;

/**
 * Channel health of this process. `report` is called for every event that changes a state here, for the other processes
 * of the site; it must not wait.
 */
export function createHealth(
  clock: Clock,
  report: ReportHealth = () => undefined,
  rules: HealthRules = defaultHealthRules,
): Health {
  const failing = new Map<HealthId, FailureState>();
  const rulesOf = (id: HealthId): HealthRules => (typeof id === 'string' ? keyRules : rules);
  /** Each returns whether a state changed. */
  const changes: Record<HealthEvent, (id: HealthId, waitMs: number) => boolean> = {
    chosen: (id) => startProbe(failing.get(id), clock(), rulesOf(id)),
    failed(id, waitMs) {
      const now = clock();
      let state = failing.get(id);
      if (state === undefined) {
        state = {
          failures: 0,
          windowStart: now,
          cooldownUntil: 0,
          cooldowns: 0,
          isVendors: false,
          isProbing: false,
        };
        failing.set(id, state);
      }
      return waitMs > 0
        ? believeWait(state, now + Math.min(waitMs, rules.maxSaidMs))
        : countFailure(state, now, rulesOf(id));
    },
    succeeded(id) {
      const state = failing.get(id);
      if (state?.isVendors && !state.isProbing && clock() < state.cooldownUntil) return false;
      return failing.delete(id);
    },
  };
  const happened = (what: HealthEvent, id: HealthId, waitMs = 0): void => {
    if (changes[what](id, waitMs)) report(what, id, waitMs);
  };

  return {
    available(id) {
      if (failing.size === 0) return true;
      const state = failing.get(id);
      return state === undefined || state.cooldownUntil === 0 || clock() >= state.cooldownUntil;
    },
    cooldownUntil(id) {
      const until = failing.get(id)?.cooldownUntil ?? 0;
      return until > clock() ? until : 0;
    },
    chosen(id) {
      if (failing.size > 0) happened('chosen', id);
    },
    failed: (id, waitMs) => happened('failed', id, waitMs),
    succeeded(id) {
      if (failing.size > 0) happened('succeeded', id);
    },
    apply: (what, id, waitMs) => void changes[what](id, waitMs),
    keepOnly(exists) {
      for (const id of failing.keys()) if (!exists(id)) failing.delete(id);
    },
  };
}

/** The first request after a cooldown tests the channel. */
function startProbe(state: FailureState | undefined, now: number, rules: HealthRules): boolean {
  if (state === undefined || state.cooldownUntil === 0 || now < state.cooldownUntil) return false;
  state.isProbing = true;
  // Its result may take long or be missing: the channel is unavailable to others for one simple cooldown.
  state.cooldownUntil = now + rules.cooldownMs;
  return true;
}

/** Returns whether the failure counts. */
function countFailure(state: FailureState, now: number, rules: HealthRules): boolean {
  // Failures of requests that started before the cooldown are not counted.
  if (now < state.cooldownUntil && !state.isProbing) return false;
  if (state.cooldownUntil === 0) {
    if (now - state.windowStart > rules.windowMs) {
      state.failures = 0;
      state.windowStart = now;
    }
    state.failures += 1;
    if (state.failures < rules.failures) return true;
  }
  state.cooldownUntil = now + Math.min(rules.cooldownMs * 2 ** state.cooldowns, rules.maxCooldownMs);
  state.cooldowns += 1;
  state.isVendors = false;
  state.isProbing = false;
  return true;
}

/** The vendor's time has precedence: the later of two ends counts. Returns whether it is this one. */
function believeWait(state: FailureState, until: number): boolean {
  if (!state.isProbing && until <= state.cooldownUntil) return false;
  state.cooldownUntil = until;
  state.isVendors = true;
  state.isProbing = false;
  return true;
}

/** Load and speed of channels in this process. */
export class Paces {
  private readonly running = new Map<number, number>();
  private readonly waits = new Map<number, number>();

  begins({ id }: Channel): void {
    this.running.set(id, (this.running.get(id) ?? 0) + 1);
  }

  ends({ id }: Channel): void {
    const left = (this.running.get(id) ?? 1) - 1;
    if (left > 0) this.running.set(id, left);
    else this.running.delete(id);
  }

  /** Number of calls that the channel serves now. */
  runningOn = ({ id }: Channel): number => this.running.get(id) ?? 0;

  /** Adds the wait for a first byte, in ms: the average moves by a fifth of the difference. */
  answeredAfter({ id }: Channel, ms: number): void {
    const before = this.waits.get(id);
    this.waits.set(id, before === undefined ? ms : before + (ms - before) / 5);
  }

  /** The average wait for the first byte, in ms; 0 if unknown, so that a new channel is tried. */
  waitFor = ({ id }: Channel): number => this.waits.get(id) ?? 0;

  keepOnly(exists: (id: number) => boolean): void {
    for (const id of this.waits.keys()) if (!exists(id)) this.waits.delete(id);
  }
}

const topic = 'channel-health';

/** Dependencies of sharing channel health between processes. */
interface HealthSharing {
  cache: Pick<Cache, 'publish' | 'subscribe'>;
  health: Pick<Health, 'apply'>;
  /** Calls the listener with health changes of this process. */
  onEvent: (listener: ReportHealth) => void;
}

/**
 * Shares failures of channels between the processes of a cache. Messages may be lost; a process then detects the
 * failure itself.
 */
export async function shareHealth({ cache, health, onEvent }: HealthSharing): Promise<void> {
  const own = randomUUID();
  await cache.subscribe(topic, (notice) => {
    const [from, word, id, waitMs = 0] = notice.split(' ');
    const what = healthEvents.find((each) => each === word);
    if (from !== own && what && id) health.apply(what, id.startsWith('k') ? id : Number(id), Number(waitMs));
  });
  onEvent((what, id, waitMs) => {
    cache.publish(topic, `${own} ${what} ${id} ${waitMs}`).catch(() => undefined);
  });
}

/** Times of an answer, for the statistics of its channel. Unix ms, 0 for none. */
interface AnsweredCall {
  channelId: number;
  model: string;
  /** Channel of the last attempt, which answered. */
  tries: readonly { ms: number; key?: { id: string } | undefined }[];
  isStream: boolean;
  endReason: string;
  usage: { output: number; reasoning: number };
  startedAt: number;
  firstByteAt: number;
  endedAt: number;
  /** Set for a response of a realtime session: `tries` are the attempts to open the session. */
  realtimeSession?: string | undefined;
}

/** Results of attempts as they are counted. Times are in ms; undefined if they are unknown. */
interface AttemptListener {
  attempted(channelId: number, outcome: 'succeeded' | channelMinutes.AttemptFailure): void;
  answered(channelId: number, times: AnswerTimes): void;
}

interface AnswerTimes {
  firstMs?: number;
  wholeMs?: number;
  /** Output of a stream, and the time from its first byte to its end. */
  stream?: { tokens: number; ms: number };
}

/** A call on a channel with a limit of spend. */
export interface SpentCall {
  channelId: number;
  /** One of several keys. */
  keyId?: string | undefined;
  model: string;
  /** Cost for the operator, or else the charge; quota units. */
  spent: number;
}

/** Results of attempts on channels, counted in memory and written together, so that no call waits for a statement. */
export interface AttemptCounts {
  /**
   * Counts the end of an attempt; without `error` it succeeded. A failure that is not the channel's fault is not
   * counted.
   */
  attempted(channel: Pick<Channel, 'id' | 'chosenKey'>, model: string, error?: RelayError): void;
  /** Counts a settled answer. Its times are those of its own attempt. */
  answered(call: AnsweredCall): void;
  /** Counts what a call has cost. */
  spent(call: SpentCall): void;
  /** Counts a call that failed finally, not by its caller's fault. */
  refused(model: string): void;
  /** Passes all further results to a listener, which must not throw or wait. */
  listen(listener: AttemptListener): void;
  /** Writes the counts, and waits for it. */
  flush(): Promise<void>;
}

/**
 * Maximum number of channels × keys × models counted separately between two writes; further models share the name
 * `other`.
 */
const mostCounted = 2_000;
const otherModel = 'other';
/** Used in place of a channel id for counts of calls from the callers' view. */
export const allCalls = 0;

/** Counts of this process; the database adds up those of all processes. */
export function createAttemptCounts({ db, clock, log }: { db: Db; clock: Clock; log: Log }): AttemptCounts {
  let rows: channelMinutes.ChannelMinute[] = [];
  /** The rows of this minute: model → channel, or channel and key. */
  const found = new Map<string, Map<number | string, channelMinutes.ChannelMinute>>();
  let foundMinute = 0;
  let listener: AttemptListener | undefined;
  const rowOf = (channelId: number, keyId: string, model: string): channelMinutes.ChannelMinute => {
    const minute = Math.floor(seconds(clock) / 60) * 60;
    if (minute !== foundMinute) found.clear();
    foundMinute = minute;
    const name = keyId === '' ? channelId : `${channelId} ${keyId}`;
    const known = found.get(model)?.get(name);
    if (known) return known;
    if (rows.length >= mostCounted && model !== otherModel) return rowOf(channelId, keyId, otherModel);
    const row = {
      minute,
      channel_id: channelId,
      key_id: keyId,
      model: model.slice(0, 255),
      ...channelMinutes.emptyCounts(),
    };
    rows.push(row);
    found.set(
      model,
      (found.get(model) ?? new Map<number | string, channelMinutes.ChannelMinute>()).set(name, row),
    );
    return row;
  };
  return {
    attempted({ id, chosenKey }, model, error) {
      if (error && !isChannelFault(error)) return;
      const outcome = error ? failureKind(error) : 'succeeded';
      rowOf(id, chosenKey?.id ?? '', model)[outcome] += 1;
      listener?.attempted(id, outcome);
    },
    spent({ channelId, keyId = '', model, spent }) {
      rowOf(channelId, keyId, model).spent += spent;
    },
    answered(call) {
      const { channelId, model, tries, startedAt } = call;
      let begunAt = startedAt;
      if (call.realtimeSession === undefined)
        for (let at = 0; at < tries.length - 1; at += 1) begunAt += tries[at]!.ms;
      const times = timesOf(call, begunAt);
      countTimes(rowOf(channelId, tries.at(-1)?.key?.id ?? '', model), times);
      listener?.answered(channelId, times);
      const asSeen = rowOf(allCalls, '', model);
      countTimes(asSeen, timesOf(call, startedAt));
      asSeen[brokenEnds.has(call.endReason) ? 'broken_off' : 'succeeded'] += 1;
    },
    refused(model) {
      rowOf(allCalls, '', model).server_error += 1;
    },
    listen(to) {
      listener = to;
    },
    async flush() {
      const written = rows;
      rows = [];
      found.clear();
      if (written.length === 0) return;
      await channelMinutes.add(db, written).catch((error: unknown) => {
        log.warn({ err: error, rows: written.length }, 'counts of attempts on channels were lost');
      });
    },
  };
}

const brokenEnds: ReadonlySet<string> = new Set(['upstream_error', 'upstream_broken']);

/** The times of an answer whose attempt started at `begunAt` (Unix ms). A transcript has none. */
function timesOf(
  { isStream, endReason, usage, firstByteAt, endedAt }: AnsweredCall,
  begunAt: number,
): AnswerTimes {
  if (firstByteAt === 0) return {};
  const firstMs = firstByteAt - begunAt;
  if (endReason !== 'complete') return { firstMs };
  const stream = { tokens: usage.output + usage.reasoning, ms: endedAt - firstByteAt };
  return { firstMs, wholeMs: endedAt - begunAt, ...(isStream && { stream }) };
}

function countTimes(row: channelMinutes.ChannelMinute, { firstMs, wholeMs, stream }: AnswerTimes): void {
  if (firstMs !== undefined) row[firstBuckets[bucketOf(firstMs)]!]! += 1;
  if (wholeMs !== undefined) row[wholeBuckets[bucketOf(wholeMs)]!]! += 1;
  row.stream_tokens += stream?.tokens ?? 0;
  row.stream_ms += stream?.ms ?? 0;
}

const firstBuckets = channelMinutes.bucketsOf('first');
const wholeBuckets = channelMinutes.bucketsOf('whole');

/** Index of a time in the histogram. */
function bucketOf(ms: number): number {
  let place = 0;
  while (place < channelMinutes.timeBounds.length && ms > channelMinutes.timeBounds[place]!) place += 1;
  return place;
}

function failureKind(error: RelayError): channelMinutes.AttemptFailure {
  const { status, code } = error;
  if (status === 429) return 'limited';
  if (isKeyFault(error)) return 'key_refused';
  if (status === 408 || status === 504 || status === 524) return 'timed_out';
  if (code === 'do_request_failed') return 'unreachable';
  return code === 'upstream_broken' || code === 'bad_response_body' ? 'broken_off' : 'server_error';
}
