import { AppError, csvLine, csvStart, type RunStatement, type StatementData } from '@tollgate/contract';
import { inTransaction, statementMails, users } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import { mailStatements, setStatementMail, type StatementMailDeps } from './mail.ts';
import { readRunStatement } from './runs.ts';
import { readStatement, statementLines, type Wallet } from './statement.ts';
import { MonthSums } from './sums.ts';

/** A statement, and its lines as CSV. */
export interface ReadStatement {
  data: StatementData;
  /** The pieces of the file, read from the database as they are taken. */
  csv(): AsyncGenerator<string>;
}

interface Actor {
  id: number;
  role: number;
}

export interface Statements {
  /** A month of a wallet (`2026-11`, '' for the present one). Throws `statement_month_unknown`. */
  read(wallet: Wallet, month: string, readerId: number): Promise<ReadStatement>;
  /** The wallet of a user; `actor` must be allowed to read it. Throws `user_not_found` and `cannot_read_peer`. */
  walletOf(actor: Actor, userId: number): Promise<Wallet>;
  run(userId: number, page: { run: string; after: number }): Promise<RunStatement>;
  /** Mails the statement of each month to a user, or stops to. */
  setMail(wallet: Wallet, receiver: { userId: number; on: boolean }): Promise<void>;
  /** Brings the sums up to date. */
  sum(): Promise<void>;
  /** Mails the statements of months that have ended. */
  sendMails(): Promise<void>;
}

export interface StatementsDeps extends StatementMailDeps {
  audit: Pick<Audit, 'record'>;
  /** Throws if an administrator may not read the data of another user. */
  mayRead(actor: Actor, target: Actor): void;
}

export function createStatements(deps: StatementsDeps): Statements {
  const { db, reports } = deps;
  const sums = new MonthSums(deps);
  return {
    async read(wallet, month, readerId) {
      const statement = await readStatement(deps, wallet, month);
      const { accountId } = wallet;
      const mailed = await statementMails.isOn(db, { account_id: accountId, user_id: readerId });
      return {
        data: { ...statement, mailed },
        async *csv() {
          yield csvStart;
          for await (const line of statementLines(deps, accountId, statement)) yield csvLine(line);
        },
      };
    },
    async walletOf(actor, userId) {
      const user = await users.find(db, userId);
      if (!user) throw new AppError('user_not_found');
      if (user.id !== actor.id) deps.mayRead(actor, user);
      return { accountId: user.account_id, name: user.username, owner: { userId } };
    },
    run: (userId, page) => readRunStatement(reports, userId, page),
    setMail: (wallet, receiver) =>
      inTransaction(db, async (trx) => {
        await setStatementMail(deps, trx, wallet, receiver);
        const target =
          'teamId' in wallet.owner
            ? { type: 'team' as const, id: wallet.owner.teamId, name: wallet.name }
            : { type: 'user' as const, id: receiver.userId, name: wallet.name };
        await deps.audit.record(trx, { target, note: { on: receiver.on } });
      }),
    sum: () => sums.work(),
    sendMails: () => mailStatements(deps),
  };
}
