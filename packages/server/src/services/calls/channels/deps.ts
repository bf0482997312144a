import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { changeMarks, type Db, inTransaction } from '../../../store/index.ts';
import type { Audit, AuditTarget } from '../../site/audit/index.ts';
import type { ChannelNotice, ChannelTypes } from './types.ts';

export interface ChannelsDeps {
  db: Db;
  sealer: Sealer;
  types: ChannelTypes;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  log: Log;
  /**
   * Called after the commit when channels have changed: the routing of this process reloads. Other processes see the
   * change mark.
   */
  onChange(): Promise<void>;
  /** Called when Tollgate disabled or enabled a channel. Never waits. */
  announce(notice: ChannelNotice): void;
}

/** A channel in the form of the audit log. */
export const targetOf = ({ id, name }: { id: number; name: string }): AuditTarget => ({
  type: 'channel',
  id,
  name,
});

/** The change mark of channels. */
export const channelsMark = 'channels';

/**
 * Runs a change with its mark in one transaction. When it resolves, the routing of this process has the change.
 * Announcements of `work` are sent after the commit.
 */
export async function changing<T>(
  deps: ChannelsDeps,
  work: (db: Db, inside: ChannelsDeps) => Promise<T>,
): Promise<T> {
  let notices: ChannelNotice[] = [];
  const inside = { ...deps, announce: (notice: ChannelNotice) => void notices.push(notice) };
  const result = await inTransaction(deps.db, async (db) => {
    notices = [];
    const done = await work(db, inside);
    // Last, because a concurrent transaction with the same mark waits for it.
    await changeMarks.mark(db, [channelsMark]);
    return done;
  });
  for (const notice of notices) deps.announce(notice);
  try {
    await deps.onChange();
  } catch (cause) {
    // The change is committed; this process sees its mark a little later.
    deps.log.error({ err: cause }, 'channels changed but could not be read again at once');
  }
  return result;
}
