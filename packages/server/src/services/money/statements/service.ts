import {
  AppError,
  csvLine,
  csvStart,
  type CsvValue,
  type Language,
  type RunStatement,
  type StatementData,
} from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { type Paper, writePdf } from '../../../lib/pdf/pdf.ts';
import { inTransaction, type RunRow, statementMails, users } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import { mailStatements, setStatementMail, type StatementMailDeps } from './mail.ts';
import { type PaperFor, runPaper, statementPaper } from './paper.ts';
import { readRunStatement, runLines } from './runs.ts';
import { exactDollars, readStatement, statementLines, type Wallet } from './statement.ts';
import { MonthSums } from './sums.ts';

/** A statement, its lines as CSV, and its page as PDF. */
interface ReadStatement<Data = StatementData> {
  data: Data;
  /** The pieces of the file, read from the database as they are taken. */
  csv(): AsyncGenerator<string>;
  /** Throws `server_busy` if too many are being written. */
  pdf(language: Language): Promise<Buffer>;
}

async function* csvOf(lines: AsyncIterable<readonly CsvValue[]>): AsyncGenerator<string> {
  yield csvStart;
  for await (const line of lines) yield csvLine(line);
}

async function pdfOf(paper: Paper): Promise<Buffer> {
  const file = await writePdf(paper);
  if (!file) throw new AppError('server_busy');
  return file;
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
  /** The entries of a run from one of them on. */
  run(run: RunRow, after: number): Promise<ReadStatement<RunStatement>>;
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
  const paperFor = (language: Language): PaperFor => ({
    site: deps.settings.get('SystemName'),
    perUnit: deps.settings.get('QuotaPerUnit'),
    timeZone: deps.settings.get('AlarmTimeZone'),
    language,
    now: seconds(deps.clock),
  });
  return {
    async read(wallet, month, readerId) {
      const statement = await readStatement(deps, wallet, month);
      const { accountId } = wallet;
      const mailed = await statementMails.isOn(db, { account_id: accountId, user_id: readerId });
      return {
        data: { ...statement, mailed },
        csv: () => csvOf(statementLines(deps, accountId, statement)),
        pdf: (language) => pdfOf(statementPaper(statement, paperFor(language))),
      };
    },
    async walletOf(actor, userId) {
      const user = await users.find(db, userId);
      if (!user) throw new AppError('user_not_found');
      if (user.id !== actor.id) deps.mayRead(actor, user);
      return { accountId: user.account_id, name: user.username, owner: { userId } };
    },
    async run(run, after) {
      const dollars = exactDollars(deps.settings.get('QuotaPerUnit'));
      return {
        data: await readRunStatement(reports, run, after),
        csv: () => csvOf(runLines(reports, run, dollars)),
        pdf: async (language) => pdfOf(await runPaper(reports, run, paperFor(language))),
      };
    },
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
