import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { Log } from '../../../lib/log.ts';
import { sharedRun } from '../../../lib/shared-run.ts';
import { type Db, vendorObjects as rows } from '../../../store/index.ts';
import type { Cache } from '../../../cache/index.ts';
import type { NamedText } from '../../../relay/types/index.ts';

/** The channel and key that have something of a user. */
interface StoredPlace {
  id: number;
  keyId: string;
  /** `background` for a response that had not ended when it was noted. */
  kind: 'response' | 'background' | 'conversation';
}

/** Maps stored responses of vendors to their channels, for all processes of a site. */
export interface StoredResponses {
  /**
   * The channel and key that have a user's response; undefined for a response of other users and for an expired one.
   */
  findChannel(userId: number, id: string): Promise<StoredPlace | undefined>;
  /**
   * Stores the location of a response, a little later and together with others. Never rejects: a response without its
   * row cannot be continued.
   */
  note(
    userId: number,
    responseId: string,
    made: Pick<StoredPlace, 'id' | 'keyId'>,
    kind?: StoredPlace['kind'],
  ): Promise<void>;
  /** Forgets a response that its user has deleted. */
  forget(userId: number, responseId: string): Promise<void>;
  /** Deletes all that vendors have also deleted: responses and files, and uploads without an end. */
  sweep(): Promise<void>;
}

interface StoredResponsesDeps {
  db: Db;
  clock: Clock;
  log: Log;
}

/** OpenAI stores responses for 30 days. */
const keepSeconds = 30 * 86_400;

const nameOf = (userId: number, responseId: string): string => sha256(`${userId} ${responseId}`);

export function createStoredResponses({ db, clock, log }: StoredResponsesDeps): StoredResponses {
  let waiting = new Map<string, Parameters<typeof rows.note>[1][number]>();
  const write = sharedRun(async () => {
    const written = waiting;
    waiting = new Map();
    await rows
      .note(db, [...written.values()])
      .catch((err: unknown) => log.error({ err, responses: written.size }, 'responses could not be noted'));
  });
  return {
    async findChannel(userId, responseId) {
      const [row] = await rows.named(db, [nameOf(userId, responseId)], seconds(clock));
      const kind = row?.kind === 'background' || row?.kind === 'conversation' ? row.kind : 'response';
      return row && { id: row.channel_id, keyId: row.key_id, kind };
    },
    note(userId, responseId, { id, keyId }, kind = 'response') {
      const name = nameOf(userId, responseId);
      waiting.set(name, {
        name,
        user_id: userId,
        kind,
        purpose: '',
        channel_id: id,
        key_id: keyId,
        bytes: 0,
        expires_at: seconds(clock) + keepSeconds,
        body: '',
      });
      return write();
    },
    forget: (userId, responseId) => rows.removeNamed(db, nameOf(userId, responseId)),
    async sweep() {
      await rows.removeExpired(db, seconds(clock));
    },
  };
}

/** Texts of translated answers, for callers who send an `item_reference` in the next call of a tool loop. */
export interface ReferencedTexts {
  /** Keeps texts for an hour within a size limit. Never rejects: a reference without its text is refused. */
  keep(userId: number, texts: readonly NamedText[]): Promise<void>;
  /** The text of a user's answer; undefined if it is not kept. */
  find(userId: number, id: string): Promise<string | undefined>;
}

const keepTextSeconds = 3_600;
/** Slots of a user; a later text replaces an earlier one in its slot. */
const places = 128;
/** Maximum length in characters; text before a tool call is shorter. */
const maxText = 8_192;

const placeOf = (userId: number, id: string): string =>
  `referenced:${userId}:${Number.parseInt(sha256(id).slice(0, 8), 16) % places}`;

export const createReferencedTexts = ({ cache, log }: { cache: Cache; log: Log }): ReferencedTexts => ({
  async keep(userId, texts) {
    const short = texts.filter(({ text }) => text.length <= maxText);
    const writes = short.map(({ id, text }) =>
      cache.set(placeOf(userId, id), `${id}\n${text}`, keepTextSeconds),
    );
    await Promise.all(writes).catch((err: unknown) => log.warn({ err }, 'texts of an answer are not kept'));
  },
  async find(userId, id) {
    const kept = await cache.get(placeOf(userId, id)).catch(() => undefined);
    return kept?.startsWith(`${id}\n`) ? kept.slice(id.length + 1) : undefined;
  },
});
