import { type Clock, seconds } from '../../../lib/clock.ts';
import { pack, unpack } from '../../../lib/packed.ts';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { type Db, holds, idempotentCalls, ledger as entries } from '../../../store/index.ts';
import { type Ledger, voidRequest } from '../../money/ledger/index.ts';

/** A call with an Idempotency-Key. */
export interface KeyedCall {
  /** Id of the key: hash of owner, path and key. */
  name: string;
  /** `token:7` or `user:3`: the owner of the key, to whom the limits apply. */
  owner: string;
  /** Hash of the request. */
  bodyHash: string;
  requestId: string;
}

/** An answer in the form it was sent. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  trailers: Record<string, string>;
  body: Buffer;
}

/** State of a key at the arrival of a call with it. */
type Begun =
  /** New key: the call is registered under this name and may start. */
  | { kind: 'new'; row: idempotentCalls.NewIdempotentCall }
  /** Another process is running it. */
  | { kind: 'running' }
  /** The key was used with another body. */
  | { kind: 'reused' }
  | { kind: 'finished'; answer: KeptAnswer }
  /** It was charged, but its answer is not stored: too large, or its process died. */
  | { kind: 'lost' };

/** The stored calls with a key, kept for a day and within limits, shared by all processes on one database. */
export interface KeyedCalls {
  /**
   * Registers the start of a call, unless its key is known. Precondition: the caller is not running a call with this
   * key.
   */
  begin(call: KeyedCall): Promise<Begun>;
  /** Stores a call that was charged; without its answer if that is too large. */
  finish(call: KeyedCall, answer: KeptAnswer | undefined): Promise<void>;
  /**
   * Removes a call without a result, so that its key is free again. A call with a hold or a charge stays. Returns false
   * while it has a hold; in an outage a hold may outlive its call.
   */
  forget(call: KeyedCall): Promise<boolean>;
  /** Deletes calls older than a day, and the oldest ones above the limits. */
  sweep(): Promise<void>;
}

export interface KeyedCallsDeps {
  db: Db;
  ledger: Pick<Ledger, 'change'>;
  sealer: Sealer;
  clock: Clock;
  /** The name of this process among others on the same database; unchanged by a restart. */
  node: string;
}

const keepSeconds = 86_400;
/**
 * Grace period for another process's call that has no hold or settlement yet. A call that takes longer (its process is
 * frozen) is never charged: its name is given to another call.
 */
const beginningSeconds = 60;
/** Grace period in which a charged call may still store its answer. */
const keepingSeconds = 10;
/** Compressed and encrypted; larger answers are not stored. */
export const maxAnswerLength = 2 * 1024 * 1024;
const perOwner = { rows: 10_000, size: 64 * 1024 * 1024 };
const inAll = { rows: 200_000, size: 1024 * 1024 * 1024 };

/** The seal place of a stored answer. */
export const answerPlace = (name: string): SealPlace => ({ column: 'idempotent_calls.answer', row: name });

/** Opens the store of calls with a key. */
export function createKeyedCalls({ db, ledger, sealer, clock, node }: KeyedCallsDeps): KeyedCalls {
  const rowOf = ({ name, owner, bodyHash, requestId }: KeyedCall) => ({
    name,
    owner,
    body_hash: bodyHash,
    request_id: requestId,
    node,
    at: seconds(clock),
  });
  const keyOf = ({ name, requestId }: KeyedCall) => ({ name, request_id: requestId });

  return {
    async begin(call) {
      // A key may be released between two reads; then it is free.
      for (let tries = 0; tries < 3; tries += 1) {
        const row = rowOf(call);
        if (await idempotentCalls.begin(db, row)) return { kind: 'new', row };
        const known = await idempotentCalls.find(db, call.name);
        if (!known) continue;
        const fate = await findState(db, known, { node, now: seconds(clock) });
        if (fate === 'running') return { kind: 'running' };
        if (fate === 'nothing' || fate === 'old') {
          if (await takeOver({ db, ledger, fate }, row, known.request_id)) return { kind: 'new', row };
          continue;
        }
        if (known.body_hash !== call.bodyHash) return { kind: 'reused' };
        if (known.answer === '') return { kind: 'lost' };
        return { kind: 'finished', answer: await openAnswer(sealer, known) };
      }
      return { kind: 'running' };
    },
    async finish(call, answer) {
      const sealed = answer ? await sealAnswer(sealer, call.name, answer) : '';
      const kept = sealed.length <= maxAnswerLength ? sealed : '';
      await idempotentCalls.finish(db, keyOf(call), { status: answer?.status ?? 200, answer: kept });
    },
    async forget(call) {
      const { kind } = await findTraces(db, call.requestId);
      if (kind === 'none' || kind === 'free') await idempotentCalls.forget(db, keyOf(call));
      return kind !== 'held';
    },
    async sweep() {
      await idempotentCalls.removeBefore(db, seconds(clock) - keepSeconds, 'calls');
      for (const owner of await idempotentCalls.ownersBeyond(db, perOwner)) {
        await idempotentCalls.trim(db, perOwner, owner);
      }
      await idempotentCalls.trim(db, inAll);
    },
  };
}

interface TakeOver extends Pick<KeyedCallsDeps, 'db' | 'ledger'> {
  fate: 'nothing' | 'old';
}

/**
 * Gives the name of a call without a result to another one; false if a third call was faster. The former call is never
 * charged, in whichever process it still runs.
 */
async function takeOver(
  { db, ledger, fate }: TakeOver,
  call: idempotentCalls.NewIdempotentCall,
  before: string,
): Promise<boolean> {
  // An earlier attempt may have succeeded although its connection was lost.
  if (call.request_id === before) return true;
  if (fate === 'old') return idempotentCalls.takeOver(db, call, before);
  return ledger.change(async (context) => {
    await idempotentCalls.lock(context.db, new Set([call.name]));
    return (await voidRequest(context, before)) && idempotentCalls.takeOver(context.db, call, before);
  });
}

type Row = NonNullable<Awaited<ReturnType<typeof idempotentCalls.find>>>;

/** The state of a registered call. The ledger shows whether it was charged, even after a crash of its process. */
async function findState(
  db: Db,
  row: Row,
  { node, now }: { node: string; now: number },
): Promise<'running' | 'charged' | 'nothing' | 'old'> {
  if (now - row.at >= keepSeconds) return 'old';
  if (row.status !== 0) return 'charged';
  const { kind, at } = await findTraces(db, row.request_id);
  // This process's running calls are excluded by the caller, so an own row without a hold is from before a restart.
  const isBusy = (seconds: number, since: number): boolean => row.node !== node && now - since < seconds;
  switch (kind) {
    case 'held':
      return 'running';
    case 'charged':
      return isBusy(keepingSeconds, at) ? 'running' : 'charged';
    case 'free':
      return 'nothing';
    case 'none':
      return isBusy(beginningSeconds, row.at) ? 'running' : 'nothing';
  }
}

/** The ledger's state of a call, and its start in Unix seconds. */
interface Traces {
  kind: 'held' | 'charged' | 'free' | 'none';
  at: number;
}

/** The state of a call by the ledger's rows. */
async function findTraces(db: Db, requestId: string): Promise<Traces> {
  const [hold] = await holds.findHolds(db, [requestId]);
  if (hold) return { kind: 'held', at: hold.at };
  const [settled] = await entries.findSettled(db, [requestId]);
  if (!settled) return { kind: 'none', at: 0 };
  const { account_delta: paid, writeoff_delta: lost, at } = settled;
  return { kind: paid + lost < 0 ? 'charged' : 'free', at };
}

/** An answer with all its fields, compressed and encrypted. */
export async function sealAnswer<Answer extends KeptAnswer>(
  sealer: Sealer,
  name: string,
  answer: Answer,
): Promise<string> {
  const { status: _, body, ...head } = answer;
  const packed = await pack(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]));
  return sealer.seal(packed, answerPlace(name));
}

/** The answer that `sealAnswer` has stored in a row. */
export async function openAnswer<Answer extends KeptAnswer>(
  sealer: Sealer,
  row: Pick<Row, 'name' | 'status' | 'answer'>,
): Promise<Answer> {
  const bytes = await unpack(sealer.open(row.answer, answerPlace(row.name)));
  const end = bytes.indexOf('\n');
  const head = JSON.parse(bytes.subarray(0, end).toString()) as Omit<Answer, 'status' | 'body'>;
  return { ...head, status: row.status, body: bytes.subarray(end + 1) } as Answer;
}
