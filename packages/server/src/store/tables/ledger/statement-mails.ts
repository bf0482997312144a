import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import { dialectOf } from '../../db.ts';
import type { StatementMailTable } from '../../schema/money.ts';
import { countOf } from '../shared.ts';

export type StatementMail = Selectable<StatementMailTable>;

type Receiver = Pick<StatementMailTable, 'account_id' | 'user_id'>;

const of = (db: Db, { account_id: accountId, user_id: userId }: Receiver) =>
  db.selectFrom('statement_mails').where('account_id', '=', accountId).where('user_id', '=', userId);

/** True if a person gets the statement of a wallet by mail. */
export const isOn = async (db: Db, receiver: Receiver): Promise<boolean> =>
  (await of(db, receiver).select('account_id').executeTakeFirst()) !== undefined;

/** Begins to mail the statements of months that end after `mailed_until`; no effect if they are mailed already. */
export const start = (db: Db, mail: Insertable<StatementMailTable>): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('statement_mails').values(mail), ['account_id', 'user_id']);

export async function stop(db: Db, { account_id: accountId, user_id: userId }: Receiver): Promise<void> {
  await db
    .deleteFrom('statement_mails')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute();
}

/** Those whose last statement is from before a month's start, and which no process has at `now`. */
export const due = (db: Db, month: number, now: number, limit: number): Promise<StatementMail[]> =>
  db
    .selectFrom('statement_mails')
    .selectAll()
    .where('mailed_until', '<', month)
    .where('claimed_until', '<=', now)
    .orderBy('account_id')
    .orderBy('user_id')
    .limit(limit)
    .execute();

/** Changes a mail if it is as it was read; false if another process has changed it. */
async function change(db: Db, mail: StatementMail, to: Partial<StatementMail>): Promise<boolean> {
  const result = await db
    .updateTable('statement_mails')
    .set(to)
    .where('account_id', '=', mail.account_id)
    .where('user_id', '=', mail.user_id)
    .where('mailed_until', '=', mail.mailed_until)
    .where('claimed_until', '=', mail.claimed_until)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Takes the next statement until a time; undefined if another process has taken or sent it. */
export async function claim(db: Db, mail: StatementMail, until: number): Promise<StatementMail | undefined> {
  const claimed = { claimed_until: until };
  return (await change(db, mail, claimed)) ? { ...mail, ...claimed } : undefined;
}

/** Ends a claim: the statements of months up to `until` are sent. */
export async function end(db: Db, claimed: StatementMail, until: number): Promise<void> {
  await change(db, claimed, { mailed_until: until, claimed_until: 0 });
}
