import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { faultPoint } from '../../lib/fault-point.ts';
import { type JsonObject, parseObject, textOf } from '../../lib/json.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import { pricedModel } from '../../relay/outgoing.ts';
import {
  type OwnApi,
  ownBatchObject,
  type OwnBatchState,
  ownResultLine,
  type OwnResult,
} from '../../relay/tasks/index.ts';
import {
  type CallLimits,
  type Channel,
  type ProtocolId,
  refuse,
  RelayError,
} from '../../relay/types/index.ts';
import {
  isFull,
  keptSeconds,
  partsOf,
  type Reservation,
  sizeOfPart,
} from '../../services/calls/routing/index.ts';
import { type Batches, isOver, type OwnBatch, type Task } from '../../services/calls/tasks/index.ts';
import type { Caller, PreparedCall } from '../call/index.ts';
import { admit } from '../entrance/index.ts';
import type { RouteCall } from '../failover/index.ts';
import { extrasOf } from '../hold/index.ts';
import { bookingOf } from '../settle/index.ts';
import { askChannel } from './background.ts';
import { foreseen } from './batch-plan.ts';
import { completeUsage, factsOfItem, priceOfItem } from './batch-results.ts';
import type { TaskDeps } from './deps.ts';

/** The vendor's answer to a call. */
const answerMs = 5 * 60_000;
/** Nobody else makes a call for this time. */
const claimMs = 15 * 60_000;
/** Attempts of a call that fails for other reasons than a busy channel. */
const maxTries = 5;
/** Between attempts: without a channel, and after failures, twice as long each time. */
const pauseMs = 5_000;
const maxPauseMs = 10 * 60_000;
/** A batch is looked at this often at least. */
const maxWaitMs = 60_000;
/** Items that are left in one transaction. */
const leftAtOnce = 100;
/** At a stop, calls that run longer are left: another process makes them again. */
const closeMs = 10_000;
/** Lines of items that were left come behind those of items that failed. */
const leftPlace = 1_000_000;
/** Between two reports of progress. */
const reportMs = 2_000;

type ClaimedItem = NonNullable<Awaited<ReturnType<Batches['claim']>>>;
type ItemCall = PreparedCall & RouteCall;

/** A batch while this process works through it. */
interface Work {
  batch: Task;
  own: OwnBatch;
  api: OwnApi;
  state: OwnBatchState;
  reportedAt: number;
  /** Characters that may be kept of further answers. */
  room: number;
  /** True while this process may go on with it. */
  mayContinue: () => Promise<boolean>;
}

/**
 * Works through batches for channels without them: call by call, a few at once on the whole site, because one process at a
 * time has the lease. A call's answer is kept in the transaction that charges it, so that it is neither lost nor made again.
 */
export class OwnBatches {
  private readonly deps: TaskDeps;
  private readonly calls = pLimit(1);
  private readonly running = new Map<number, Promise<void>>();
  /** Busy channels: Unix ms until which they get no calls, and how often in a row. */
  private readonly paused = new Map<number, { until: number; times: number }>();
  /** Items whose calls run here: a slow answer may take longer than its claim. */
  private readonly inFlight = new Set<number>();
  private readonly works = new Set<Work>();
  private isClosed = false;

  constructor(deps: TaskDeps) {
    this.deps = deps;
  }

  /** Goes on with a batch, if it does not yet. */
  run(batch: Task, mayContinue: () => Promise<boolean>): void {
    const { own } = batch.bill;
    if (this.isClosed || !own || this.running.has(batch.id)) return;
    const work = this.workThrough(batch, own, mayContinue)
      .catch((err: unknown) => {
        this.deps.gateway.log.error({ batch: batch.taskId, err }, 'a batch could not be worked through yet');
      })
      .finally(() => this.running.delete(batch.id));
    this.running.set(batch.id, work);
  }

  /** Takes no further call. Resolves when those that run have ended, or after a while. */
  async close(): Promise<void> {
    this.isClosed = true;
    const left = sleep(closeMs, undefined, { ref: false });
    await Promise.race([Promise.all(this.running.values()), left]);
  }

  private async workThrough(batch: Task, own: OwnBatch, mayContinue: () => Promise<boolean>): Promise<void> {
    const api = batch.action === 'anthropic' ? 'anthropic' : 'openai';
    const state = await this.readState(batch, own);
    const room = await this.deps.gateway.keptParts.room(batch.userId);
    const work: Work = { batch, own, api, state, reportedAt: 0, room, mayContinue };
    const atOnce = Math.max(1, this.deps.ownBatchCalls());
    const goOn = async (): Promise<void> => {
      while (await this.calls(() => this.step(work))) await nextTurn();
    };
    this.works.add(work);
    const ended = await Promise.allSettled(Array.from({ length: atOnce }, goOn));
    this.works.delete(work);
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
    await this.settle(work);
  }

  /** Figures of a batch, from its rows. */
  private async readState(batch: Task, own: OwnBatch): Promise<OwnBatchState> {
    const { gateway, batches } = this.deps;
    const leftItems = await gateway.keptParts.count(partsOf(own.errors), leftPlace);
    const failed = (await gateway.keptParts.count(partsOf(own.errors))) - leftItems;
    const total = Number(batch.request['requests']);
    return {
      startedAt: batch.submitTime,
      expiresAt: own.expiresAt,
      endedAt: 0,
      total,
      answered: total - (await batches.countOpen(batch)) - failed - leftItems,
      failed,
      leftItems,
      answers: null,
      errors: null,
    };
  }

  /** Makes the next call of a batch. False if there is none to be made now. */
  private async step(work: Work): Promise<boolean> {
    const { deps } = this;
    const { batch, own } = work;
    const atOnce = deps.ownBatchCalls();
    // The operator may have changed it meanwhile.
    this.calls.concurrency = Math.max(1, atOnce);
    if (this.isClosed || atOnce === 0 || !(await work.mayContinue())) return false;
    const now = await deps.batches.read(batch);
    const hasEnded = !now || isOver(now.state) || now.request['cancel'] === true;
    if (hasEnded || deps.gateway.clock() >= own.expiresAt) return false;
    if (work.room <= 0) work.room = await deps.gateway.keptParts.room(batch.userId);
    if (work.room <= 0) return false;
    const item = await deps.batches.claim(batch, deps.gateway.clock() + claimMs);
    if (!item) return false;
    if (this.inFlight.has(item.id)) return true;
    faultPoint('batch-claimed');
    this.inFlight.add(item.id);
    const goesOn = await this.serve(work, item).finally(() => this.inFlight.delete(item.id));
    await this.report(work);
    return goesOn;
  }

  /** Makes the call of an item. False if its channel takes no further ones now. */
  private async serve(work: Work, item: ClaimedItem): Promise<boolean> {
    const { deps } = this;
    const { gateway, batches } = deps;
    const { batch, own } = work;
    const kept = parseObject((await gateway.keptParts.find(own.calls, item.place)) ?? '');
    if (!kept) throw new Error('the calls of a batch are gone');
    const name = textOf(kept['name']);
    const read = readItemCall(batch, own, item, textOf(kept['body']), gateway.clock());
    let call: ItemCall;
    try {
      call = { ...read, caller: await this.callerNow(work, read.facts) };
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      await this.endFailed(work, item, { call: read, name }, error);
      return true;
    }
    const channel = this.chooseChannel(work, item, call);
    const reservation = channel && (await this.reserve(channel, call));
    if (!reservation) {
      await batches.postponeItem(item, gateway.clock() + pauseMs, false);
      return false;
    }
    try {
      const charged = await this.answer(work, item, { call, name, channel });
      reservation.end(charged);
      this.paused.delete(channel.id);
      return true;
    } catch (error) {
      reservation.end(0);
      if (!(error instanceof RelayError)) {
        await batches.postponeItem(item, gateway.clock() + waitAfter(item.tries), true);
        throw error;
      }
      return this.fail(work, item, { call, name, channel }, error);
    }
  }

  /** The caller as it is now. Throws if its key has ended since, or may not make such a call any more. */
  private async callerNow({ batch, own }: Work, facts: ItemCall['facts']): Promise<Caller> {
    const caller = await this.deps.callerNow(own.key);
    const groups = admit(this.deps.gateway, { caller, askedGroup: '', facts });
    if (!groups.includes(batch.bill.group)) throw refuse('group_forbidden');
    return { ...caller, acceptUnsetPrice: own.acceptUnsetPrice };
  }

  /** A channel at the held price, other than busy ones. */
  private chooseChannel({ batch, own }: Work, item: ClaimedItem, call: ItemCall): Channel | undefined {
    const { gateway } = this.deps;
    const price = priceOfItem(batch, item);
    const pinned = call.caller.pinnedChannelId;
    const now = gateway.clock();
    const busy = new Set([...this.paused].filter(([, { until }]) => until > now).map(([id]) => id));
    const serves = (channel: Channel): boolean =>
      (pinned === 0 || channel.id === pinned) &&
      pricedModel(channel, price.model) === price.pricedModel &&
      // Only the additions of one channel are held for.
      (channel.id === own.channelId || (!channel.paramOverride && !channel.setting.systemPrompt)) &&
      gateway.vendorProtocol(call, channel) !== undefined;
    return foreseen(gateway, call, batch.bill.group, serves, busy);
  }

  /** A place below half of the channel's limits: the rest is for callers who wait. Undefined without one. */
  private async reserve(channel: Channel, { facts }: ItemCall): Promise<Reservation | undefined> {
    const { limits } = channel;
    if (!limits) return { end: () => undefined };
    const halved = {
      ...channel,
      limits: { ...limits, channel: half(limits.channel), key: half(limits.key) },
    };
    const taken = await this.deps.gateway.limits.reserve(halved, facts.estimatedInputTokens);
    return isFull(taken) ? undefined : taken;
  }

  /** Makes a call, and charges and keeps its answer. Returns its tokens. Throws RelayError without an answer. */
  private async answer(
    work: Work,
    item: ClaimedItem,
    { call, name, channel }: { call: ItemCall; name: string; channel: Channel },
  ): Promise<number> {
    const { deps } = this;
    const { batch, own, api } = work;
    const { gateway, batches } = deps;
    gateway.routing.begins(channel);
    const { text, end, spoken, upstreamModel } = await this.ask(channel, call).finally(() =>
      gateway.routing.ends(channel),
    );
    faultPoint('batch-answered');
    gateway.attempts.attempted(channel, call.facts.model, undefined);
    const { snapshot } = priceOfItem(batch, item);
    const { usage, source } = await completeUsage(gateway, end.usage, spoken, item, batch);
    const made = { usage, source, extras: extrasOf(call.facts, snapshot, end) };
    const facts = {
      ...factsOfItem(gateway.clock(), { batch, channel, item, name }, made),
      upstreamModel,
      reportedCost: end.usage?.reportedCost,
    };
    const line = ownResultLine(api, facts.requestId, name, { answer: text });
    const settlement = bookingOf(gateway, facts);
    const at = { object: partsOf(own.answers), userId: batch.userId, place: item.place };
    const kept = await gateway.keptParts.seal(at, line, keptSeconds);
    await batches.charge(batch, [{ item, settlement, kept }]);
    faultPoint('batch-charged');
    work.state.answered += 1;
    // They share the room, of their user or at least of the site.
    for (const each of this.works) each.room -= sizeOfPart(kept);
    deps.onItem(facts);
    return settlement.tokens ?? 0;
  }

  private async ask(channel: Channel, call: ItemCall) {
    const { gateway } = this.deps;
    const sent = await gateway.prepare(call, channel);
    if (!sent || sent.local || sent.overSocket) throw refuse('batch_item_invalid');
    const body = sent.unwritten ? Buffer.from(JSON.stringify(sent.unwritten)) : sent.body;
    const answer = await askChannel(gateway, channel, sent, {
      ...sent,
      body,
      timeoutMs: answerMs,
      wholeMs: answerMs,
    });
    const pipe = sent.openPipe(answer.status, answer.contentType);
    const shown = pipe.push(answer.body);
    const end = pipe.end(false);
    if (end.error) throw end.error;
    const text = Buffer.concat([shown ?? nothing, end.tail ?? (shown ? nothing : answer.body)]).toString();
    if (!parseObject(text)) throw refuse('answer_unreadable');
    return { text, end, spoken: pipe.takeText(), upstreamModel: sent.upstreamModel };
  }

  /** A call that its channel did not answer waits, or has failed for good. False if the channel is busy. */
  private async fail(
    work: Work,
    item: ClaimedItem,
    { call, name, channel }: { call: ItemCall; name: string; channel: Channel },
    error: RelayError,
  ): Promise<boolean> {
    const { gateway, batches } = this.deps;
    const now = gateway.clock();
    if (isBusy(error)) {
      const times = (this.paused.get(channel.id)?.times ?? 0) + 1;
      const waitMs = Math.max((error.retryAfterSeconds ?? 0) * 1_000, waitAfter(times - 1));
      this.paused.set(channel.id, { until: now + waitMs, times });
      await batches.postponeItem(item, now + pauseMs, false);
      return false;
    }
    if (error.blame === 'channel') {
      gateway.onFailure(channel, error, call.json);
      gateway.attempts.attempted(channel, call.facts.model, error);
      if (item.tries + 1 < maxTries) {
        await batches.postponeItem(item, now + waitAfter(item.tries), true);
        return true;
      }
    }
    await this.endFailed(work, item, { call, name }, error);
    return true;
  }

  private async endFailed(
    work: Work,
    item: ClaimedItem,
    { call, name }: { call: PreparedCall; name: string },
    error: RelayError,
  ): Promise<void> {
    const { status, body } = call.inbound.writeError(error, call.requestId);
    await this.end(work, [item], { status, error: body }, name);
    work.state.failed += 1;
  }

  /** Ends items without a charge, with these results. */
  private async end(
    { batch, own, api }: Work,
    items: readonly ClaimedItem[],
    result: OwnResult,
    known?: string,
  ): Promise<void> {
    const { keptParts } = this.deps.gateway;
    const ended: Parameters<Batches['charge']>[1][number][] = [];
    for (const item of items) {
      const name =
        known ?? textOf(parseObject((await keptParts.find(own.calls, item.place)) ?? '')?.['name']);
      const line = ownResultLine(api, `${batch.requestId}-${item.place}`, name, result);
      const place = 'left' in result ? leftPlace + item.place : item.place;
      const at = { object: partsOf(own.errors), userId: batch.userId, place };
      const kept = await keptParts.seal(at, line, keptSeconds);
      ended.push({ item, settlement: null, kept });
    }
    await this.deps.batches.charge(batch, ended);
  }

  private async report(work: Work): Promise<void> {
    const now = this.deps.gateway.clock();
    if (now - work.reportedAt < reportMs) return;
    work.reportedAt = now;
    await this.record(work);
  }

  private async record({ batch, api, state }: Work): Promise<void> {
    const progress = ((state.answered + state.failed) * 100) / state.total;
    const result = { ...batch.result, batch: ownBatchObject(api, state) };
    const update = { state: 'in_progress', vendorStatus: 'in_progress', progress, result } as const;
    await this.deps.tasks.recordProgress([{ task: batch, update }], this.deps.gateway.clock() + pauseMs);
  }

  /** Ends a batch of which nothing is left to do; another one waits for its next call. */
  private async settle(work: Work): Promise<void> {
    const { batches, tasks, gateway } = this.deps;
    const { batch, own } = work;
    if (this.isClosed || !(await work.mayContinue())) return;
    const now = await batches.read(batch);
    if (!now || isOver(now.state)) return;
    const isExpired = gateway.clock() >= own.expiresAt;
    // Another process may have ended items meanwhile.
    const state = await this.readState(batch, own);
    work.state = state;
    state.left = now.request['cancel'] === true ? 'cancelled' : isExpired ? 'expired' : undefined;
    const [first] = await batches.rest(batch, 1);
    if (first && !state.left && work.room > 0) {
      await this.record(work);
      const ends = [...this.paused.values()].map(({ until }) => until);
      const due = Math.max(first.due_at, ...(ends.length > 0 ? [Math.min(...ends)] : []));
      const next = Math.max(gateway.clock() + pauseMs, Math.min(due, gateway.clock() + maxWaitMs));
      return tasks.postpone([batch], next, false);
    }
    if (first) await this.leaveRest(work, this.resultOfRest(work));
    await this.finish({ ...work, state: { ...(await this.readState(batch, own)), left: state.left } });
  }

  private resultOfRest({ batch, api, state }: Work): OwnResult {
    if (state.left) return { left: state.left };
    const error = refuse('files_full', { limit: this.deps.maxUserFilesMb });
    const protocol = api === 'anthropic' ? 'anthropic-messages' : 'openai-chat';
    const written = callerProtocol(protocol)?.inbound.writeError(error, batch.requestId);
    return { status: error.status, error: written?.body ?? '' };
  }

  private async leaveRest(work: Work, result: OwnResult): Promise<void> {
    for (;;) {
      const some = await this.deps.batches.rest(work.batch, leftAtOnce);
      if (some.length === 0 || !(await work.mayContinue())) return;
      await this.end(work, some, result);
      await nextTurn();
    }
  }

  /** Ends the batch, and gives its files to its user. */
  private async finish({ batch, own, api, state }: Work): Promise<void> {
    const { gateway, batches } = this.deps;
    const isOpenai = api === 'openai';
    const files: JsonObject[] = [];
    for (const id of isOpenai ? [own.answers, own.errors] : []) {
      let bytes = 0;
      for await (const part of gateway.keptParts.read(partsOf(id))) bytes += part.length;
      if (bytes > 0) files.push(fileObject(id, batch, bytes, gateway.clock()));
    }
    const has = (id: string): string | null => (files.some((file) => file['id'] === id) ? id : null);
    const ended = { ...state, endedAt: gateway.clock(), answers: has(own.answers), errors: has(own.errors) };
    const result = { batch: ownBatchObject(api, ended), isCharged: true };
    await batches.finish(
      batch,
      state.left ? { state: 'failed', reason: state.left, result } : { state: 'succeeded', result },
      files,
    );
    // Its files count from now on; results in a list count as much as their calls, until they expire.
    if (isOpenai) await gateway.vendorFiles.drop({ userId: batch.userId, requestId: batch.requestId, api });
  }
}

const nothing = Buffer.alloc(0);

const waitAfter = (tries: number): number => Math.min(maxPauseMs, pauseMs * 2 ** Math.min(tries, 8));

/** True for a vendor that takes no more calls for a while. */
const isBusy = ({ status, blame }: RelayError): boolean =>
  blame === 'channel' && (status === 429 || status === 503 || status === 529);

const half = <T extends CallLimits | undefined>(limits: T): T =>
  limits && {
    ...limits,
    requests: Math.ceil(limits.requests / 2),
    tokens: Math.ceil(limits.tokens / 2),
    calls: Math.ceil(limits.calls / 2),
  };

const fileObject = (id: string, { taskId }: Task, bytes: number, now: number): JsonObject => ({
  id,
  object: 'file',
  bytes,
  created_at: Math.floor(now / 1_000),
  expires_at: Math.floor(now / 1_000) + keptSeconds,
  filename: `${taskId}_${id.slice(-6)}.jsonl`,
  purpose: 'batch_output',
  status: 'processed',
});

/** A call of a batch, as it was read when the batch was submitted. */
function readItemCall(
  { request, requestId }: Task,
  { path, headers }: OwnBatch,
  { place }: ClaimedItem,
  body: string,
  now: number,
): PreparedCall {
  const inbound = callerProtocol(textOf(request['protocol']) as ProtocolId)?.inbound;
  const json = parseObject(body);
  if (!inbound || !json) throw new Error('a call of a batch cannot be read');
  const raw = Buffer.from(body);
  return {
    req: { headers: { ...headers, 'content-type': 'application/json' } },
    requestId: `${requestId}-${place}`,
    inbound,
    path,
    query: '',
    raw,
    json,
    facts: inbound.readFacts(json, { byteLength: raw.length, charLength: body.length }),
    startedAt: now,
  };
}
