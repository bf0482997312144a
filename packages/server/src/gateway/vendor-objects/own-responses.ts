import { setTimeout as sleep } from 'node:timers/promises';
import { seconds } from '../../lib/clock.ts';
import { type JsonObject, objectOf, splice, textOf } from '../../lib/json.ts';
import { inputItems, isRunning } from '../../relay/families/openai/index.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import { refuse, RelayError } from '../../relay/types/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { admit } from '../entrance/index.ts';
import { chooseGroup, continuedChannel, firstChannel } from '../failover/index.ts';
import { runInBackground, SlowReader, streamHead, type TaskDeps } from '../tasks/index.ts';
import { HeldStream, OwnRun, partId, publish } from './own-run.ts';

/** Responses that run at the same time in this process, and of one user. */
const maxRuns = 256;
const maxOfUser = 32;
/** Pauses between two looks at a response that runs in another process, and of looks whether it still runs. */
const pollMs = 500;
const checkMs = 5_000;
/** Time in which a process shows the end of a response that it has charged, or begins one, in seconds. */
const graceSeconds = 15;
/** Longest wait for another process to cancel a response. */
const cancelMs = 10_000;

/**
 * True if the first channel's vendor speaks the caller's protocol itself; also for a call without a channel, which is
 * refused.
 */
export async function isServedByVendor(gateway: GatewayDeps, relayCall: RelayCall): Promise<boolean> {
  try {
    const groups = admit(gateway, relayCall);
    if (await continuedChannel(gateway, relayCall, groups)) return true;
    const first = firstChannel(gateway, relayCall, chooseGroup(gateway, relayCall, groups));
    return gateway.vendorProtocol(relayCall, first) === relayCall.inbound.id;
  } catch (error) {
    if (error instanceof RelayError) return true;
    throw error;
  }
}

/**
 * Responses that the gateway runs in the background itself, because their vendors cannot: each is a plain call with its hold
 * and its charge, whose events are kept for readers in all processes.
 */
export class OwnResponses {
  private readonly tasks: TaskDeps;
  private readonly runs = new Map<string, OwnRun>();

  constructor(tasks: TaskDeps) {
    this.tasks = tasks;
  }

  private get gateway(): GatewayDeps {
    return this.tasks.gateway;
  }

  /**
   * Serves a call with `background`: its vendor runs it if it speaks Responses; otherwise the gateway does, if it keeps
   * responses. Without either a stream is served as any other, by `serve`.
   */
  async serve(relayCall: RelayCall, serve: (relayCall: RelayCall) => Promise<void>): Promise<void> {
    const isVendors = await isServedByVendor(this.gateway, relayCall);
    if (!isVendors && this.gateway.keptResponses.isOn()) return this.run(relayCall, serve);
    if (!isVendors && relayCall.facts.stream) return serve(relayCall);
    return runInBackground(this.tasks, relayCall);
  }

  private async run(relayCall: RelayCall, serve: (relayCall: RelayCall) => Promise<void>): Promise<void> {
    const { caller, json, requestId, facts, raw } = relayCall;
    const { userId } = caller;
    if (json['store'] === false) throw refuse('background_not_stored');
    const id = `resp_${requestId}`;
    const head = headOf(relayCall, id);
    const input = inputItems(json['input'], requestId);
    if (!(await this.gateway.keptResponses.fits(userId, { response: head, input })))
      throw refuse('conversation_too_long');
    const ofUser = [...this.runs.values()].filter((each) => each.userId === userId).length;
    if (this.runs.size >= maxRuns || ofUser >= maxOfUser)
      throw refuse('background_full', {}, { retryAfterSeconds: 5 });
    const run = new OwnRun(
      { kept: this.gateway.keptResponses, log: this.gateway.log },
      { id, userId, head, input },
    );
    const { background: _, ...plain } = json;
    const { inBackground: __, ...plainFacts } = facts;
    const changes = new Map([
      ['background', undefined],
      ['stream', 'true'],
    ]);
    const call: RelayCall = {
      ...relayCall,
      res: run,
      client: new HeldStream(run),
      raw: splice(raw, changes),
      json: { ...plain, stream: true },
      facts: { ...plainFacts, stream: true, wantsStreamUsage: true },
      keyed: undefined,
      cached: undefined,
      recording: run,
    };
    const name = `${userId} ${id}`;
    this.runs.set(name, run);
    // A stop waits until its end is kept.
    const entry = { index: -1, isDraining: false, end: () => undefined };
    this.gateway.running.add(entry);
    const carry = async (): Promise<void> => {
      try {
        await serve(call);
      } finally {
        await run.finish();
        this.runs.delete(name);
        this.gateway.running.delete(entry);
      }
    };
    // The memory of the body counts until the call is over.
    await Promise.all([carry(), this.answer(relayCall, run)]);
  }

  /** Answers the caller of a new run: with its beginning, or with its stream from the beginning. */
  private async answer(relayCall: RelayCall, run: OwnRun): Promise<void> {
    const { client, facts, requestId } = relayCall;
    await run.begun;
    while (facts.stream && !run.hasEvents && !run.isOver) await run.changed;
    const { refused } = run;
    client.open();
    if (refused && (!run.isKept || (facts.stream && !run.hasEvents))) {
      if (run.isKept) await this.forget(run.userId, run.id);
      client.head(refused.status, refused.headers);
      return client.finish(refused.body, {});
    }
    if (!run.isKept) throw refuse('conversation_too_long');
    this.tasks.onBegun(requestId);
    if (facts.stream) return this.follow(relayCall, run.id, -1);
    client.head(200, { 'content-type': 'application/json', ...this.gateway.identityHeaders(requestId) });
    client.finish(Buffer.from(JSON.stringify(run.response)), {});
  }

  /** A response as it is now; `kept` is how it was read. One of a process that died is ended. */
  async refresh(userId: number, id: string, kept: JsonObject): Promise<JsonObject> {
    if (!isRunning(kept)) return kept;
    const run = this.runs.get(`${userId} ${id}`);
    if (run) return run.response;
    await this.conclude(userId, id);
    const { keptResponses } = this.gateway;
    const now = (await keptResponses.find(userId, id))?.response ?? kept;
    const hasBegun = isRunning(now) && (await keptResponses.find(userId, partId.events(id, 0)));
    return hasBegun ? { ...now, status: 'in_progress' } : now;
  }

  /** Ends a response whose process has died: with its end if it was charged, otherwise as failed. */
  private async conclude(userId: number, id: string): Promise<void> {
    const { keptResponses, clock } = this.gateway;
    const found = await keptResponses.find(userId, id);
    if (!found || !isRunning(found.response)) return;
    const { kind, at } = await keptResponses.findFate(id.slice('resp_'.length));
    if (kind === 'held') return;
    const prepared = kind === 'charged' ? await keptResponses.find(userId, partId.end(id)) : undefined;
    const since = Math.max(at, Number(found.response['created_at'] ?? 0));
    if (!prepared && kind !== 'recovered' && seconds(clock) - since < graceSeconds) return;
    const last = prepared?.input[0] ?? (await this.brokenEnd(userId, id, found.response));
    const keep = (part: string, kept: Parameters<typeof keptResponses.put>[2]) =>
      keptResponses.put(userId, part, kept);
    await publish(keep, { id, userId, input: found.input, event: last });
  }

  private async brokenEnd(userId: number, id: string, response: JsonObject): Promise<JsonObject> {
    let number = 0;
    for await (const event of this.events(userId, id, 0)) number = Number(event['sequence_number']) + 1;
    const error = { code: 'server_error', message: 'The process that ran this response has ended' };
    return {
      type: 'response.failed',
      sequence_number: number,
      response: { ...response, status: 'failed', error },
    };
  }

  /** The kept events from a part on. */
  private async *events(userId: number, id: string, from: number): AsyncGenerator<JsonObject> {
    for (let part = from; ; part += 1) {
      const kept = await this.gateway.keptResponses.find(userId, partId.events(id, part));
      if (!kept) return;
      for (const event of kept.input) yield { ...event, part };
    }
  }

  /** Cancels a response, in whichever process it runs, and waits for its end. */
  async cancel(userId: number, id: string): Promise<void> {
    const { keptResponses } = this.gateway;
    const run = this.runs.get(`${userId} ${id}`);
    if (run) {
      run.cancel();
      return run.over;
    }
    await keptResponses.put(userId, partId.cancel(id), { response: {}, input: [] });
    for (let waited = 0; waited < cancelMs; waited += pollMs) {
      await this.conclude(userId, id);
      const found = await keptResponses.find(userId, id);
      if (!found || !isRunning(found.response)) return;
      await sleep(pollMs);
    }
  }

  /** Deletes a response with its events. It must not run. */
  async forget(userId: number, id: string): Promise<void> {
    const { keptResponses } = this.gateway;
    for (let part = 0; ; part += 1) {
      const name = partId.events(id, part);
      if (!(await keptResponses.find(userId, name))) break;
      await keptResponses.forget(userId, name);
    }
    for (const name of [partId.end(id), partId.over(id), partId.cancel(id), id])
      await keptResponses.forget(userId, name);
  }

  /** Sends the events of a response after a number to a caller, as they are kept, to its end. */
  async follow(relayCall: RelayCall, id: string, after: number): Promise<void> {
    const { client, caller, requestId, inbound } = relayCall;
    const { gateway } = this;
    const { keptResponses } = gateway;
    const { userId } = caller;
    const gone = Promise.withResolvers<void>();
    const slow = new SlowReader();
    client.head(200, { ...streamHead, ...gateway.identityHeaders(requestId) });
    client.onClose(() => gone.resolve());
    client.follow(slow);
    const every = gateway.pingEveryMs();
    const pings = every > 0 ? setInterval(() => client.ping(inbound.ping), every) : undefined;
    let last = after;
    let from = 0;
    const send = (event: JsonObject): void => {
      const { part: _, ...body } = event;
      const number = Number(body['sequence_number']);
      if (number <= last) return;
      last = number;
      client.push(Buffer.from(`event: ${textOf(body['type'])}\ndata: ${JSON.stringify(body)}\n\n`));
    };
    try {
      for (let waited = 0; !client.closed; waited += pollMs) {
        const run = this.runs.get(`${userId} ${id}`);
        const changed = run?.changed;
        // Read before the events, so that none is missed.
        const isOver = run ? run.isOver : (await keptResponses.find(userId, partId.over(id))) !== undefined;
        for await (const event of this.events(userId, id, from)) {
          from = Number(event['part']);
          send(event);
          if (slow.wait) await Promise.race([slow.wait, gone.promise]);
          if (client.closed) return;
        }
        if (isOver) {
          for (const event of (await keptResponses.find(userId, partId.end(id)))?.input ?? []) send(event);
          return client.finish(undefined, {});
        }
        if (!run && waited % checkMs === 0) {
          await this.conclude(userId, id);
          if (!(await keptResponses.find(userId, id))) return client.destroy();
        }
        await Promise.race([changed ?? sleep(pollMs), gone.promise]);
      }
    } finally {
      clearInterval(pings);
    }
  }
}

/** The object of a response that has not begun. */
function headOf({ json, facts, requestId, startedAt }: RelayCall, id: string): JsonObject {
  const codec = callerProtocol('openai-responses')?.codec;
  if (!codec) throw new Error('callers cannot speak Responses');
  const written = codec.writeAnswer([], {
    showUsage: true,
    request: json,
    kept: facts.kept,
    fallback: { requestId, model: facts.model, createdSeconds: Math.floor(startedAt / 1_000) },
  });
  return { ...objectOf(written), id, status: 'queued', background: true, store: true, usage: null };
}
