import { AppError, type PersonalDataPage, type PersonalDataPart } from '@tollgate/contract';
import { type Db, personalData as rows } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import { type FlatRow, showAccount, showAudit, showLogRow, showTask } from './show.ts';

/** The user, the part and the page. */
interface PersonalDataQuestion {
  userId: number;
  part: PersonalDataPart;
  /** The `next` of the previous page; '' for the first rows. */
  after: string;
}

/** Reads the stored data of a user, without secrets and internal data of operators. */
export interface PersonalData {
  /** A page of a part, oldest first: at most 500 rows of long parts. */
  page(question: PersonalDataQuestion): Promise<PersonalDataPage>;
  /**
   * The same for an administrator, recorded in the audit log: only the first page within an hour. Throws
   * `user_not_found`.
   */
  pageForRoot(question: PersonalDataQuestion): Promise<PersonalDataPage>;
}

export interface PersonalDataDeps {
  db: Db;
  /** A connection for slow reads that block nothing else. */
  reports: Db;
  audit: Pick<Audit, 'recordOnce'>;
}

/** Rows of a page: small enough to block nothing, large enough that a million rows are 2,000 requests. */
const pageRows = 500;

type Read = (db: Db, behind: rows.Behind) => Promise<readonly (FlatRow & { id: number })[]>;

/** Parts with few rows. */
const small: Partial<Record<PersonalDataPart, (db: Db, userId: number) => Promise<readonly FlatRow[]>>> = {
  account: async (db, userId) => (await rows.account(db, userId)).map(showAccount),
  bindings: rows.signInWays,
  directory: rows.inDirectory,
  passkeys: rows.passkeys,
  sessions: rows.sessions,
  'access-tokens': rows.accessTokens,
  memberships: rows.memberships,
};

/** Parts that may be long, paged by id. */
const long: Partial<Record<PersonalDataPart, Read>> = {
  keys: rows.keys,
  payments: rows.payments,
  redemptions: rows.redemptions,
  balance: rows.balance,
  tasks: async (db, behind) => (await rows.tasks(db, behind)).map(showTask),
  files: rows.files,
  audit: async (db, behind) => (await rows.audit(db, behind)).map((row) => showAudit(row, behind.userId)),
};

export function createPersonalData({ db, reports, audit }: PersonalDataDeps): PersonalData {
  const page = (question: PersonalDataQuestion) => readPage(reports, question);
  return {
    page,
    async pageForRoot(question) {
      const { userId } = question;
      const [account] = await rows.account(reports, userId);
      if (!account) throw new AppError('user_not_found');
      await audit.recordOnce(db, { userId, target: { type: 'user', id: userId, name: account.username } });
      return page(question);
    },
  };
}

async function readPage(db: Db, { userId, part, after }: PersonalDataQuestion): Promise<PersonalDataPage> {
  const readSmall = small[part];
  if (readSmall) return { rows: [...(await readSmall(db, userId))], next: null };
  const [first = 0, second = 0] = numbersOf(after);
  const readLong = long[part];
  if (readLong) {
    const found = await readLong(db, { userId, after: first, limit: pageRows });
    return { rows: [...found], next: found.length === pageRows ? String(found.at(-1)?.id) : null };
  }
  const found = await rows.log(db, { userId, at: first, after: second, limit: pageRows });
  const last = found.length === pageRows ? found.at(-1) : undefined;
  return { rows: found.map(showLogRow), next: last ? `${last.created_at}.${last.id}` : null };
}

/** The numbers of a cursor; an invalid one starts from the beginning. */
const numbersOf = (cursor: string): number[] =>
  /^\d{1,15}(\.\d{1,15})?$/.test(cursor) ? cursor.split('.').map(Number) : [];
