import { AppError, teamStatus } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { changeMarks, type Db, teams } from '../../../store/index.ts';
import type { Audit, AuditEvent } from '../../site/audit/index.ts';
import type { Ledger, VerbContext } from '../../money/ledger/index.ts';
import type { Mail } from '../../site/notify/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { KeyResolver } from '../tokens/index.ts';

export interface TeamsDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  ledger: Pick<Ledger, 'change'>;
  /** The relay's key cache, notified of every change. */
  keys: Pick<KeyResolver, 'forgetTeam'>;
  audit: Pick<Audit, 'record'>;
  /** Called after the commit that changed budgets. */
  budgetsChanged(): Promise<void>;
  /** Creates an ordinary user; `also` runs in the same transaction. Throws the errors of a new name. */
  createPerson(
    person: { username: string; password: string; displayName: string; email: string },
    also: (money: VerbContext, userId: number) => Promise<void>,
  ): Promise<number>;
  /** Throws the errors of a new name, without creating a user. */
  checkNewName(username: string): Promise<void>;
  /** True for a group that has a ratio. */
  isGroup(name: string): boolean;
  mail: {
    /** True if mails can be sent. */
    isConfigured(): boolean;
    /** Queues a mail without waiting until it is sent. */
    send(mail: Mail): void;
  };
  clock: Clock;
  log: Log;
}

/** The change mark of one team. */
export const teamMark = (id: number): string => `team:${id}`;

/** The audit event of a change, and whether the change is allowed for a banned team. */
interface ChangeOptions extends Pick<AuditEvent, 'userId' | 'changes' | 'note'> {
  evenBanned?: boolean;
}

/**
 * Runs a change of one team with its change mark in one transaction; when it resolves, no cached data of the team's
 * keys remain, here at once and in other processes within a second. The audit log gets `event`, with the team as its
 * target. Throws `team_is_banned` unless `evenBanned`.
 */
export async function changingTeam<T>(
  { db, ledger, keys, audit }: Pick<TeamsDeps, 'db' | 'ledger' | 'keys' | 'audit'>,
  id: number,
  work: (money: VerbContext) => Promise<T>,
  { evenBanned = false, ...event }: ChangeOptions = {},
): Promise<T> {
  const team = await teams.find(db, id);
  if (!team) throw new AppError('team_not_found');
  if (!evenBanned && team.status !== teamStatus.enabled) throw new AppError('team_is_banned');
  const result = await ledger.change(async (money) => {
    const done = await work(money);
    await audit.record(money.db, { target: { type: 'team', id, name: team.name }, ...event });
    // Last, because another transaction with a mark waits for it.
    await changeMarks.mark(money.db, [teamMark(id)]);
    return done;
  });
  keys.forgetTeam(id);
  return result;
}
