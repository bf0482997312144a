import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { type JsonObject, objectsIn, parseObject, textOf } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { pack, unpack } from '../../../lib/packed.ts';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { type Db, holds, keptResponses as rows, ledger, recoveredNote } from '../../../store/index.ts';

/** A response whose vendor stores nothing, with the conversation that led to it; or a conversation. */
export interface KeptResponse {
  /** The response object, as its caller got it; or the object of the conversation. */
  response: JsonObject;
  /** All items of its input, including those of the responses that it continued; each has an id. */
  input: JsonObject[];
}

/** Responses that the gateway keeps itself, if the site's setting allows it; each is seen by its user only. */
export interface KeptResponses {
  /** True if responses are kept. */
  isOn(): boolean;
  /**
   * Keeps a response and its conversation, sealed, within the limits of size. Never rejects: a response that is not kept
   * cannot be continued; false if it is not kept.
   */
  keep(userId: number, kept: KeptResponse): Promise<boolean>;
  /**
   * Changes what is kept, also if other processes change it at the same time, and returns it as it is then; undefined if
   * it is not kept.
   */
  change(
    userId: number,
    id: string,
    edit: (kept: KeptResponse) => KeptResponse,
  ): Promise<KeptResponse | 'too long' | undefined>;
  /** True if something is not too long to be kept. */
  fits(userId: number, kept: KeptResponse): Promise<boolean>;
  /**
   * Keeps something in place of what was kept under its id; false if it is too long, or nothing is kept. Rejects if the
   * database does.
   */
  put(userId: number, id: string, kept: KeptResponse): Promise<boolean>;
  /** A summary of a conversation as a text that only its user can send back. */
  sealSummary(userId: number, summary: string): string;
  /** A sealed summary; undefined for a text of other users and makers. */
  openSummary(userId: number, sealed: string): string | undefined;
  /** The end of the call that makes a response, by the ledger. */
  findFate(requestId: string): Promise<CallFate>;
  /** A user's response; undefined for one of other users, and for an expired one. */
  find(userId: number, responseId: string): Promise<KeptResponse | undefined>;
  /** Deletes a user's response. */
  forget(userId: number, responseId: string): Promise<void>;
  /** Deletes expired responses, and the oldest ones above the limits. */
  sweep(): Promise<void>;
}

/** A call is held for while it runs. Then it is charged by its process, or by the recovery of a process that died. */
interface CallFate {
  kind: 'held' | 'charged' | 'recovered' | 'none';
  /** Unix seconds of the charge; 0 without one. */
  at: number;
}

interface KeptResponsesDeps {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  /** Days for which responses are kept; 0 keeps none. */
  days: () => number;
}

/** Characters of a conversation as JSON, and as compressed and sealed text. Larger ones are not kept. */
const maxLength = 4 * 1024 * 1024;
const maxSealed = 2 * 1024 * 1024;
/** Attempts of a change beside those of other processes. */
const maxChanges = 20;
const perUser = { rows: 10_000, size: 64 * 1024 * 1024 };
const inAll = { rows: 200_000, size: 1024 * 1024 * 1024 };

const nameOf = (userId: number, responseId: string): string => sha256(`${userId} ${responseId}`);

/** The seal place of a kept response. */
export const keptPlace = (name: string): SealPlace => ({ column: 'kept_responses.conversation', row: name });

/** The seal place of a summary, which its user keeps. */
const summaryPlace = (userId: number): SealPlace => ({ column: 'compactions', row: userId });

export function createKeptResponses({ db, sealer, clock, log, days }: KeptResponsesDeps): KeptResponses {
  const oldest = (): number => seconds(clock) - days() * 86_400;
  /** The row of something that is kept; undefined if it is too long. */
  const sealed = async (userId: number, name: string, kept: KeptResponse) => {
    const text = JSON.stringify(kept);
    if (text.length > maxLength) return undefined;
    const conversation = sealer.seal(await pack(text), keptPlace(name));
    if (conversation.length > maxSealed) return undefined;
    const row = { name, user_id: userId, at: seconds(clock), size: conversation.length };
    return { ...row, conversation_sealed: conversation };
  };
  const read = async (name: string): Promise<{ id: number; kept: KeptResponse } | undefined> => {
    if (days() === 0) return undefined;
    const row = await rows.find(db, name);
    if (!row || row.at < oldest()) return undefined;
    const packed = sealer.open(row.conversation_sealed, keptPlace(name));
    const { response, input } = parseObject(await unpack(packed)) ?? {};
    return { id: row.id, kept: { response: (response ?? {}) as JsonObject, input: objectsIn(input) } };
  };
  return {
    isOn: () => days() > 0,
    async keep(userId, kept) {
      try {
        const row = await sealed(userId, nameOf(userId, textOf(kept.response.id)), kept);
        if (row) await rows.keep(db, row);
        return row !== undefined;
      } catch (err) {
        log.error({ err }, 'a response could not be kept');
        return false;
      }
    },
    async change(userId, id, edit) {
      const name = nameOf(userId, id);
      for (let tries = 0; tries < maxChanges; tries += 1) {
        const before = await read(name);
        if (!before) return undefined;
        const after = edit(before.kept);
        const row = await sealed(userId, name, after);
        if (!row) return 'too long';
        if (await rows.replace(db, before.id, row)) return after;
      }
      throw new Error('a conversation changes too often');
    },
    fits: async (userId, kept) => (await sealed(userId, '', kept)) !== undefined,
    async put(userId, id, kept) {
      if (days() === 0) return false;
      const row = await sealed(userId, nameOf(userId, id), kept);
      if (row) await rows.put(db, row);
      return row !== undefined;
    },
    sealSummary: (userId, summary) => sealer.seal(summary, summaryPlace(userId)),
    openSummary(userId, sealed) {
      try {
        return sealer.open(sealed, summaryPlace(userId));
      } catch {
        return undefined;
      }
    },
    async findFate(requestId) {
      const [hold] = await holds.findHolds(db, [requestId]);
      if (hold) return { kind: 'held', at: hold.at };
      const [settled] = await ledger.findSettled(db, [requestId]);
      if (!settled) return { kind: 'none', at: 0 };
      const isRecovered = settled.note.startsWith(recoveredNote);
      return { kind: isRecovered ? 'recovered' : 'charged', at: settled.at };
    },
    find: async (userId, responseId) => (await read(nameOf(userId, responseId)))?.kept,
    async forget(userId, responseId) {
      await rows.remove(db, nameOf(userId, responseId));
    },
    async sweep() {
      if (days() === 0) return void (await rows.removeBefore(db, seconds(clock) + 1));
      await rows.removeBefore(db, oldest());
      for (const userId of await rows.usersBeyond(db, perUser)) await rows.trim(db, perUser, userId);
      await rows.trim(db, inAll);
    },
  };
}
