import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { formEssence } from '../../lib/form.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Log } from '../../lib/log.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import type { KeyedCall, KeyedCalls, KeptAnswer } from '../../services/calls/idempotency/index.ts';
import { withTimeout } from '../../services/money/ledger/index.ts';
import { ClientStream, type RelayCall } from '../call/index.ts';
import { ByteBudget, type ClientSink, SharedAnswer } from './shared-answer.ts';

/** A relay call by the response of its caller, as it arrives. */
export interface IdempotentRelayCall extends RelayCall {
  readonly res: ClientSink;
}

export interface IdempotencyDeps {
  calls: KeyedCalls;
  log: Log;
  /** Writes an error in the caller's protocol and language, and the log row of a failed call. */
  refuse(relayCall: RelayCall, error: RelayError): void;
}

/** The request header with the key. */
export const idempotencyHeader = 'idempotency-key';
const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Total bytes of answers being recorded, and bytes of one answer. */
const recordedBytes = 64 * 1024 * 1024;
const maxAnswerBytes = 8 * 1024 * 1024;
/** Most calls with a key that continue after all their callers have disconnected. */
const maxDetached = 100;

/** Pauses between the attempts to store an answer, in ms, so that a short outage loses none. */
const keepPauses = [20, 200, 1_000];
/**
 * Pauses between the attempts to free a key. Until it is free, another process takes the call for one that is about to
 * begin, for a minute.
 */
const freePauses = [50, 200, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
/** Most keys that wait to be freed. */
const maxFreeing = 1_000;

/** A call with a key that runs in this process. */
interface RunningCall {
  call: KeyedCall;
  answer: SharedAnswer;
  /** The amount of its settlement; undefined before, and if there was none. */
  charged: number | undefined;
  /** True once it is registered under its key: its result must be stored. */
  isRegistered: boolean;
  /** Its settlement takes too long: its callers got an error, and the answer is for repetitions. */
  isLate: boolean;
}

/**
 * Calls with an Idempotency-Key. The same key with the same body, by the same token on the same path, joins the
 * running call or gets the finished answer again, byte for byte; it is charged once. With another body it is refused.
 * A call that was not charged and did not succeed is not stored. Such a call continues when its caller disconnects,
 * or gets an error because its settlement takes too long, because the caller may come back for the answer.
 */
export class IdempotentCalls {
  private readonly deps: IdempotencyDeps;
  private readonly recordings = new ByteBudget(recordedBytes);
  private readonly running = new Map<string, RunningCall>();
  private readonly byRequest = new Map<string, RunningCall>();
  private unattended = 0;
  private freeing = 0;

  constructor(deps: IdempotencyDeps) {
    this.deps = deps;
  }

  /** Called for each settlement, before the end of its answer is sent. */
  settled(requestId: string, charged: number): void {
    const running = this.byRequest.get(requestId);
    if (running) running.charged = charged;
  }

  /** Serves a call with a key, by `run` if the key is new. Throws the errors. */
  async serve(
    relayCall: IdempotentRelayCall,
    run: (relayCall: IdempotentRelayCall) => Promise<void>,
  ): Promise<void> {
    const call = readKeyedCall(relayCall, String(relayCall.req.headers[idempotencyHeader]));
    const running = this.running.get(call.name);
    if (running) return this.join(relayCall, call, running);
    const begun = this.begin(call);
    begun.answer.join(relayCall.res, 'first');
    try {
      await this.carry(relayCall, begun, run);
    } finally {
      this.running.delete(call.name);
      this.byRequest.delete(call.requestId);
    }
  }

  private async join(
    relayCall: IdempotentRelayCall,
    call: KeyedCall,
    { call: first, answer, isLate }: RunningCall,
  ): Promise<void> {
    if (first.bodyHash !== call.bodyHash) throw reused();
    if (isLate || !answer.isJoinable) throw inUse();
    answer.join(relayCall.res, 'joined');
    await answer.done;
  }

  private begin(call: KeyedCall): RunningCall {
    let hasContinued = false;
    const answer: SharedAnswer = new SharedAnswer({
      budget: this.recordings,
      maxBytes: maxAnswerBytes,
      mayContinue: () => {
        if (hasContinued || this.unattended >= maxDetached) return hasContinued;
        hasContinued = true;
        this.unattended += 1;
        void answer.done.then(() => (this.unattended -= 1));
        return true;
      },
      beforeEnd: () => this.remember(running),
    });
    const running: RunningCall = { call, answer, charged: undefined, isRegistered: false, isLate: false };
    this.running.set(call.name, running);
    this.byRequest.set(call.requestId, running);
    return running;
  }

  private async carry(
    relayCall: IdempotentRelayCall,
    running: RunningCall,
    run: (relayCall: IdempotentRelayCall) => Promise<void>,
  ): Promise<void> {
    const { call, answer } = running;
    const client = new ClientStream(answer);
    const beginning = this.deps.calls.begin(call);
    const known = await withTimeout(beginning).catch((cause: unknown) => {
      this.deps.log.error({ err: cause }, 'a named call could not be noted');
      // It may have been stored despite the error.
      void beginning.catch(() => undefined).then(() => this.free(call));
      return { kind: 'unknown' } as const;
    });
    if (known.kind === 'new') {
      running.isRegistered = true;
      const answerLater = (error: RelayError): boolean => this.answerLater(relayCall, running, error);
      await run({ ...relayCall, res: answer, client, answerLater, keyed: known.row });
      if (!answer.writableEnded) await this.remember(running);
    } else if (known.kind === 'finished') replay(answer, known.answer);
    else {
      answer.markRefused();
      this.deps.refuse({ ...relayCall, client }, refusals[known.kind]());
    }
    if (!answer.writableEnded) answer.destroy();
    await answer.done;
    answer.drop();
  }

  /** Sends an error to the present callers; the call continues for those who come back for its answer. */
  private answerLater(relayCall: RelayCall, running: RunningCall, error: RelayError): boolean {
    const callers = running.answer.detach();
    if (!callers) return false;
    running.isLate = true;
    this.deps.refuse({ ...relayCall, client: new ClientStream(callers) }, error);
    return true;
  }

  /**
   * Stores the result of a call beyond this process. An error here does not fail the call, which was charged and
   * answered.
   */
  private async remember({ call, answer, charged, isRegistered }: RunningCall): Promise<void> {
    if (!isRegistered) return;
    const good = charged !== undefined && answer.headersSent && answer.status < 400;
    if (!good && (charged ?? 0) === 0) return this.free(call);
    const kept = answer.writableEnded ? keptAnswerOf(answer) : undefined;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.deps.calls.finish(call, kept);
      } catch (err) {
        const pause = keepPauses[tries];
        if (pause === undefined)
          return this.deps.log.error(
            { err, request: call.requestId },
            'the answer of a named call could not be kept',
          );
        await sleep(pause, undefined, { ref: false });
      }
    }
  }

  /** Frees the key of a call without a result; if the database is unavailable, as soon as it is available again. */
  private async free(call: KeyedCall): Promise<void> {
    if (await this.isFreed(call)) return;
    if (this.freeing < maxFreeing) void this.freeLater(call);
  }

  private async freeLater(call: KeyedCall): Promise<void> {
    this.freeing += 1;
    for (const pause of freePauses) {
      await sleep(pause, undefined, { ref: false });
      if (await this.isFreed(call)) break;
    }
    this.freeing -= 1;
  }

  private async isFreed(call: KeyedCall): Promise<boolean> {
    try {
      return await withTimeout(this.deps.calls.forget(call));
    } catch (err) {
      this.deps.log.warn({ err, request: call.requestId }, 'the key of a named call could not be freed yet');
      return false;
    }
  }
}

function readKeyedCall(relayCall: RelayCall, key: string): KeyedCall {
  const { caller, path, requestId } = relayCall;
  const owner = caller.tokenId > 0 ? `token:${caller.tokenId}` : `user:${caller.userId}`;
  return { name: nameKey(caller, owner, path, key), owner, bodyHash: hashBody(relayCall), requestId };
}

/** The id of an Idempotency-Key: of its owner and path, and of the run of the caller's key. Throws if it is invalid. */
function nameKey(
  { run }: Pick<RelayCall['caller'], 'run'>,
  owner: string,
  path: string,
  key: string,
): string {
  if (!keyPattern.test(key)) throw refuse('idempotency_key_invalid');
  return sha256(JSON.stringify([owner, path, key, ...(run === undefined ? [] : [run])]));
}

/**
 * The id of the Idempotency-Key of a call by key that stores its own result; undefined without one. Throws
 * `idempotency_key_invalid`.
 */
export function readKeyName({
  req,
  caller,
  path,
}: Pick<RelayCall, 'req' | 'caller' | 'path'>): string | undefined {
  const key = req.headers[idempotencyHeader];
  return key === undefined ? undefined : nameKey(caller, `token:${caller.tokenId}`, path, String(key));
}

/** Compares bodies by their bytes; forms by their content, because each request has its own boundary. */
function hashBody({ query, raw, form }: RelayCall): string {
  const hash = createHash('sha256').update(query).update('\n');
  for (const piece of form ? formEssence(raw, form.scan) : [raw]) hash.update(piece);
  return hash.digest('hex');
}

/** The part of an answer that is stored; undefined if it was too large to be recorded. */
function keptAnswerOf({ body, status, headers, trailers }: SharedAnswer): KeptAnswer | undefined {
  return body && { status, headers, trailers, body };
}

function replay(answer: SharedAnswer, { status, headers, trailers, body }: KeptAnswer): void {
  answer.markReplayed();
  answer.writeHead(status, headers);
  answer.addTrailers(trailers);
  answer.end(body);
}

const reused = (): RelayError => refuse('idempotency_key_reused');
const inUse = (): RelayError => refuse('idempotency_key_in_use', {}, { retryAfterSeconds: 1 });

const refusals = {
  reused,
  running: inUse,
  lost: () => refuse('idempotency_answer_gone'),
  unknown: () => refuse('ledger_unavailable'),
};
