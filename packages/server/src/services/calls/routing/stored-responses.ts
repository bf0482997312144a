import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { Log } from '../../../lib/log.ts';
import { sharedRun } from '../../../lib/shared-run.ts';
import { type Db, storedResponses as rows } from '../../../store/index.ts';

/** Which channel has a response that its vendor stores, for all processes of a site. */
export interface StoredResponses {
  /** The channel, and its key, that has a user's response; undefined for a response of others, and after its time. */
  channelOf(userId: number, responseId: string): Promise<{ id: number; keyId: string } | undefined>;
  /** Notes a response, soon and together with others. Never rejects: without its row it cannot be continued. */
  note(userId: number, responseId: string, made: { id: number; keyId: string }): Promise<void>;
  /** Forgets what vendors have forgotten, too. */
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
  let waiting = new Map<string, rows.StoredResponseRow>();
  const write = sharedRun(async () => {
    const written = waiting;
    waiting = new Map();
    await rows
      .note(db, [...written.values()])
      .catch((err: unknown) => log.error({ err, responses: written.size }, 'responses could not be noted'));
  });
  return {
    async channelOf(userId, responseId) {
      const row = await rows.find(db, nameOf(userId, responseId));
      if (!row || row.at < seconds(clock) - keepSeconds) return undefined;
      return { id: row.channel_id, keyId: row.key_id };
    },
    note(userId, responseId, { id, keyId }) {
      const name = nameOf(userId, responseId);
      waiting.set(name, { name, channel_id: id, key_id: keyId, at: seconds(clock) });
      return write();
    },
    async sweep() {
      await rows.removeBefore(db, seconds(clock) - keepSeconds);
    },
  };
}
