import { type Clock, seconds } from '../../../lib/clock.ts';
import { faultPoint } from '../../../lib/fault-point.ts';
import type { Log } from '../../../lib/log.ts';
import { type Db, grants as grantRows, teams, users } from '../../../store/index.ts';
import type { EndingCredit, Notifier } from '../../site/notify/index.ts';
import { readGrantsLeft } from '../ledger/index.ts';

export interface NoticeDeps {
  db: Db;
  notifier: Pick<Notifier, 'creditEnds'>;
  clock: Clock;
  log: Log;
}

/** Notices are sent so many days before an expiry; the earlier one only until the later one is due. */
const notices = [
  { days: 1, from: 0 },
  { days: 7, from: 1 },
] as const;

/** Seconds in which a process sends a notice it has taken. Another one sends it if that process has died. */
const claimSeconds = 600;
/** Grants of a run; the rest follows in the next ones. */
const noticedAtOnce = 200;

/**
 * Tells owners of wallets which credit will expire, 7 days and 1 day before: one message for a wallet, however many
 * grants it is about. A grant is taken by a conditional write before the message is sent, and marked afterwards. So a
 * message is not lost with a process, and sent again only if its process died between delivery and mark.
 */
export async function noticeExpiries(deps: NoticeDeps): Promise<void> {
  const at = seconds(deps.clock);
  for (const { days, from } of notices) {
    const due = await grantRows.dueForNotice(deps.db, { at, days, from, limit: noticedAtOnce });
    for (const accountId of new Set(due.map((row) => row.account_id))) {
      const ofWallet = due.filter((row) => row.account_id === accountId);
      await noticeWallet(deps, accountId, ofWallet, days).catch((error: unknown) =>
        deps.log.warn({ err: error, accountId }, 'a notice of an expiry was not sent and is tried again'),
      );
    }
  }
}

async function noticeWallet(
  { db, notifier, clock }: NoticeDeps,
  accountId: number,
  due: readonly grantRows.GrantRow[],
  days: number,
): Promise<void> {
  const ids: number[] = [];
  for (const row of due)
    if (await grantRows.claimNotice(db, row, seconds(clock) + claimSeconds)) ids.push(row.id);
  if (ids.length === 0) return;
  faultPoint('notice-taken');
  const [wallet] = await readGrantsLeft(db, { ids: [accountId] });
  const ending = (wallet?.grants ?? []).filter(({ id }) => ids.includes(id));
  const owner = await findOwner(db, accountId);
  if (owner && ending.length > 0) await notifier.creditEnds(owner.userId, sumByEnd(ending), owner.team);
  await grantRows.noteNoticed(db, ids, days);
}

/** The amounts that expire at each moment, the soonest first. */
function sumByEnd(grants: readonly { left: number; expiresAt: number }[]): EndingCredit[] {
  const ends = [...new Set(grants.map(({ expiresAt }) => expiresAt))].toSorted((a, b) => a - b);
  return ends.map((expiresAt) => ({
    expiresAt,
    amount: grants.reduce((sum, grant) => sum + (grant.expiresAt === expiresAt ? grant.left : 0), 0),
  }));
}

/** Who is told: the owner of the wallet, or of the organisation that has it. Nobody for a deleted one. */
async function findOwner(
  db: Db,
  accountId: number,
): Promise<{ userId: number; team?: { id: number; name: string } } | undefined> {
  const user = await users.findByAccount(db, accountId);
  if (user) return { userId: user.id };
  const team = await teams.findByAccount(db, accountId);
  return team && { userId: team.owner_id, team: { id: team.id, name: team.name } };
}
