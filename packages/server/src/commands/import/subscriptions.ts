import type { ForeignDatabase } from '../../store/index.ts';
import { readCells } from './kit/cells.ts';
import { columnsOf } from './kit/columns.ts';
import type { Source } from './kit/detect.ts';

/** The rest of a user's running subscription. */
export interface SourceSubscription {
  id: number;
  userId: number;
  /** Quota units. */
  left: number;
  /** Unix seconds. */
  end: number;
  /** The group of the user while it runs, and the group afterwards; '' if it changes none. */
  group: string;
  groupAfter: string;
}

/**
 * Running subscriptions, as their remaining money. Throws, with names, for those without a money value: unlimited, or
 * refilled later.
 */
export async function readSubscriptions(
  foreign: ForeignDatabase,
  source: Source,
  now: number,
): Promise<SourceSubscription[]> {
  const rows = await foreign.all('user_subscriptions', columnsOf('user_subscriptions', source));
  const running = rows
    .map((row) => readCells(row, 'user_subscriptions'))
    .filter((cells) => cells.text('status') === 'active' && cells.whole('end_time') > now);
  const endless = running.filter(
    (cells) => cells.whole('amount_total') <= 0 || cells.whole('next_reset_time') > now,
  );
  if (endless.length > 0) {
    const users = [...new Set(endless.map((cells) => cells.whole('user_id')))];
    throw new Error(
      `subscriptions without a limit, or that are filled up again, cannot become a balance: end those of ${users.length === 1 ? 'user' : 'users'} ${users.slice(0, 20).join(', ')}${users.length > 20 ? ' …' : ''} in the old program, give them there what they are worth, and import again`,
    );
  }
  return running.map((cells) => ({
    id: cells.whole('id'),
    userId: cells.whole('user_id'),
    left: Math.max(0, cells.whole('amount_total') - cells.whole('amount_used')),
    end: cells.whole('end_time'),
    group: cells.text('upgrade_group'),
    groupAfter: cells.text('downgrade_group') || cells.text('prev_user_group'),
  }));
}
