import { createHash } from 'node:crypto';
import { formEssence } from '../../lib/form.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Log } from '../../lib/log.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import type { KeyedCall, KeyedCalls, KeptAnswer } from '../../services/idempotency/index.ts';
import { ClientStream, type RelayCall } from '../call/index.ts';
import type { ClientSink } from './broadcast-sink.ts';
import { ByteBudget, SharedAnswer } from './shared-answer.ts';

/** A relay call by the response of its caller: what stands at the door. */
export interface IdempotentRelayCall extends RelayCall {
  readonly res: ClientSink;
}

export interface IdempotencyDeps {
  calls: KeyedCalls;
  log: Log;
  /** Writes a refusal in the caller's protocol and language, and the row of a call that failed. */
  refuse(relayCall: RelayCall, error: RelayError): void;
}

/** Header that names a call. */
const keyHeader = 'idempotency-key';
const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Bytes of answers that are recorded at once, and of one answer. */
const recordedBytes = 64 * 1024 * 1024;
const maxAnswerBytes = 8 * 1024 * 1024;
/** Named calls that go on after all their callers left, at most. */
const maxUnattended = 100;

/** A named call that runs in this process. */
interface NamedCall {
  call: KeyedCall;
  answer: SharedAnswer;
  /** What its settlement took; undefined before, and when there was none. */
  charged: number | undefined;
  /** Noted as the call of its name: what becomes of it is to be remembered. */
  isNoted: boolean;
  /** Its settlement takes long: its callers were told so, and its answer is for those who come back. */
  isLate: boolean;
}

/**
 * Calls that carry an Idempotency-Key. The same key with the same body, by the same token on the same path, joins the
 * running call or gets the finished answer again, byte for byte; it is charged once. With another body it is refused.
 * A call that was not charged and did not end well is not remembered. Once named, a call goes on when its caller
 * hangs up or is told that its settlement takes too long, because they may come back for the answer.
 */
export class IdempotentCalls {
  private readonly deps: IdempotencyDeps;
  private readonly recordings = new ByteBudget(recordedBytes);
  private readonly running = new Map<string, NamedCall>();
  private readonly byRequest = new Map<string, NamedCall>();
  private unattended = 0;

  constructor(deps: IdempotencyDeps) {
    this.deps = deps;
  }

  /** Told of each settlement, before the end of its answer leaves. */
  settled(requestId: string, charged: number): void {
    const running = this.byRequest.get(requestId);
    if (running) running.charged = charged;
  }

  /** Serves a call: by `run` when it has no key or a new one. Throws the refusals. */
  serve(relayCall: IdempotentRelayCall, run: (relayCall: RelayCall) => Promise<void>): Promise<void> {
    const key = relayCall.req.headers[keyHeader];
    return key === undefined ? run(relayCall) : this.serveNamed(relayCall, key, run);
  }

  private async serveNamed(
    relayCall: IdempotentRelayCall,
    key: string | string[],
    run: (relayCall: RelayCall) => Promise<void>,
  ): Promise<void> {
    const call = nameCall(relayCall, String(key));
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
    { call: first, answer, isLate }: NamedCall,
  ): Promise<void> {
    if (first.bodyHash !== call.bodyHash) throw reused();
    if (isLate || !answer.isJoinable) throw inUse();
    answer.join(relayCall.res, 'joined');
    await answer.done;
  }

  private begin(call: KeyedCall): NamedCall {
    let wentOn = false;
    const answer: SharedAnswer = new SharedAnswer({
      budget: this.recordings,
      maxBytes: maxAnswerBytes,
      mayGoOn: () => {
        if (wentOn || this.unattended >= maxUnattended) return wentOn;
        wentOn = true;
        this.unattended += 1;
        void answer.done.then(() => (this.unattended -= 1));
        return true;
      },
      beforeEnd: () => this.remember(running),
    });
    const running: NamedCall = { call, answer, charged: undefined, isNoted: false, isLate: false };
    this.running.set(call.name, running);
    this.byRequest.set(call.requestId, running);
    return running;
  }

  private async carry(
    relayCall: RelayCall,
    running: NamedCall,
    run: (relayCall: RelayCall) => Promise<void>,
  ): Promise<void> {
    const { call, answer } = running;
    const client = new ClientStream(answer);
    const known = await this.deps.calls.begin(call).catch((cause: unknown) => {
      this.deps.log.error({ err: cause }, 'a named call could not be noted');
      return { kind: 'unknown' } as const;
    });
    if (known.kind === 'new') {
      running.isNoted = true;
      const answerLater = (error: RelayError): boolean => this.answerLater(relayCall, running, error);
      await run({ ...relayCall, res: answer, client, answerLater });
      if (!answer.writableEnded) await this.remember(running);
    } else if (known.kind === 'finished') replay(answer, known.answer);
    else this.deps.refuse({ ...relayCall, client }, refusals[known.kind]());
    if (!answer.writableEnded) answer.destroy();
    await answer.done;
    answer.drop();
  }

  /** Tells the callers of now what went wrong; the call goes on for those who come back for its answer. */
  private answerLater(relayCall: RelayCall, running: NamedCall, error: RelayError): boolean {
    const callers = running.answer.detach();
    if (!callers) return false;
    running.isLate = true;
    this.deps.refuse({ ...relayCall, client: new ClientStream(callers) }, error);
    return true;
  }

  /** Makes what is known of a call outlast this process. What fails here fails no call: it was charged and answered. */
  private async remember({ call, answer, charged, isNoted }: NamedCall): Promise<void> {
    if (!isNoted) return;
    try {
      const good = charged !== undefined && answer.headersSent && answer.status < 400;
      if (!good && (charged ?? 0) === 0) return await this.deps.calls.forget(call);
      await this.deps.calls.finish(call, answer.writableEnded ? keptOf(answer) : undefined);
    } catch (cause) {
      this.deps.log.error(
        { err: cause, request: call.requestId },
        'the answer of a named call could not be kept',
      );
    }
  }
}

function nameCall(relayCall: RelayCall, key: string): KeyedCall {
  const { caller, path, requestId } = relayCall;
  if (!keyPattern.test(key)) {
    throw refuse('idempotency_key_invalid');
  }
  const owner = caller.tokenId > 0 ? `token:${caller.tokenId}` : `user:${caller.userId}`;
  const name = sha256(JSON.stringify([owner, path, key]));
  return { name, owner, bodyHash: hashBody(relayCall), requestId };
}

/**
 * What makes two bodies the same: their bytes; of forms what they say, because each sending has a boundary of its own.
 */
function hashBody({ query, raw, form }: RelayCall): string {
  const hash = createHash('sha256').update(query).update('\n');
  for (const piece of form ? formEssence(raw, form.scan) : [raw]) hash.update(piece);
  return hash.digest('hex');
}

/** What of an answer is kept; undefined when it was too large to be recorded. */
function keptOf({ body, status, headers, trailers }: SharedAnswer): KeptAnswer | undefined {
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
