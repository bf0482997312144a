import type { Db } from '../../dialects/types.ts';
import { dialectOf } from '../../db.ts';
import type { StatementMailTable } from '../../schema/money.ts';
import { countOf } from '../shared.ts';

export type StatementMail = StatementMailTable;

type Receiver = Pick<StatementMailTable, 'account_id' | 'user_id'>;

const of = (db: Db, { account_id: accountId, user_id: userId }: Receiver) =>
  db.selectFrom('statement_mails').where('account_id', '=', accountId).where('user_id', '=', userId);

/** True if a person gets the statement of a wallet by mail. */
export const isOn = async (db: Db, receiver: Receiver): Promise<boolean> =>
  (await of(db, receiver).select('account_id').executeTakeFirst()) !== undefined;

/** Begins to mail the statements of months that end after `mailed_until`; no effect if they are mailed already. */
export const start = (db: Db, mail: StatementMail): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('statement_mails').values(mail), ['account_id', 'user_id']);

export async function stop(db: Db, { account_id: accountId, user_id: userId }: Receiver): Promise<void> {
  await db
    .deleteFrom('statement_mails')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute();
}

/** Those whose last statement is from before a month's start. */
export const due = (db: Db, month: number, limit: number): Promise<StatementMail[]> =>
  db
    .selectFrom('statement_mails')
    .selectAll()
    .where('mailed_until', '<', month)
    .orderBy('account_id')
    .orderBy('user_id')
    .limit(limit)
    .execute();

/** Takes the mail of the months up to `until`, or gives it back; false if another process has taken it. */
export async function move(db: Db, mail: StatementMail, until: number): Promise<boolean> {
  const result = await db
    .updateTable('statement_mails')
    .set({ mailed_until: until })
    .where('account_id', '=', mail.account_id)
    .where('user_id', '=', mail.user_id)
    .where('mailed_until', '=', mail.mailed_until)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}
