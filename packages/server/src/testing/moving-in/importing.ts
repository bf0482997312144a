import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnv } from '../../boot/env.ts';
import type { Report } from '../../commands/import/kit/report.ts';
import { type ImportOrder, runImport } from '../../commands/import/run-import.ts';
import { targetOf } from '../../commands/import/target-of.ts';
import { type Db, openStore } from '../../store/index.ts';
import { bundled, bundledEnv } from '../bundled.ts';
import { buildOldSite, newApiSite, oneApiSite } from './old-site.ts';

export const secretKey = 'a test master key of 32 characters!';

/** A folder for old and new sites, with methods to create them. */
export class MovingDesk {
  readonly root = mkdtempSync(join(tmpdir(), 'tollgate-import-'));
  private made = 0;

  /** A unique path in the folder. */
  place(name = 'data'): string {
    return join(this.root, `${name}-${(this.made += 1)}`);
  }

  /** Creates an old site in an SQLite file. Its first channel calls `upstream`. Returns the file path. */
  async oldFile(program: 'new-api' | 'one-api', upstream = 'http://127.0.0.1:9'): Promise<string> {
    const file = `${this.place(program)}.db`;
    const site = program === 'new-api' ? newApiSite(upstream) : oneApiSite(upstream);
    await buildOldSite('sqlite', `sqlite:${file}`, program, site);
    return file;
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Runs the import in this process. */
export function imported(
  dataDir: string,
  order: Pick<ImportOrder, 'from'> & Partial<ImportOrder>,
  url = '',
): Promise<Report> {
  const env = readEnv({ DATA_DIR: dataDir, SECRET_KEY: secretKey, ...(url !== '' && { DATABASE_URL: url }) });
  const terms = { variables: {}, credit: undefined };
  const usual = {
    logsFrom: '',
    logDays: 0,
    terms,
    dryRun: false,
    isLive: false,
    onProgress: () => undefined,
  };
  return runImport({ ...usual, ...order }, targetOf(env));
}

/** Runs the command as an operator does. */
export const runCommand = (
  dataDir: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const given = { ...bundledEnv(), DATA_DIR: dataDir, SECRET_KEY: secretKey, ...env };
    execFile(process.execPath, [bundled('import'), ...args], { env: given }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });

/** Reads the database of an existing Tollgate. */
export async function look(dataDir: string, work: (db: Db) => Promise<void>, url = ''): Promise<void> {
  const store = await openStore({ url, dataDir });
  try {
    await work(store.db);
  } finally {
    await store.close();
  }
}

/** Sums by their names in Tollgate. */
export const sumsOf = ({ sums }: Report): Record<string, number> =>
  Object.fromEntries(sums.map(({ what, target }) => [what, target]));

/** Sums of money on the sites in old-site.ts (quota units). */
export const oldSums = {
  'new-api': {
    'Balances, with what was left of subscriptions': 7_234_567 + 5 + 60 + 7_500 + 600,
    'Refills of subscriptions to come': 3_000,
    'Debts of users, written off': 777,
    'Used before by users': 1_234 + 999_777,
    'Left on limited keys': 400_000,
    'Codes nobody has used yet': 1_250,
    'Invitation rewards': 300,
  },
  'one-api': {
    Balances: 7_234_567 + 5 + 60,
    'Debts of users, written off': 777,
    'Used before by users': 1_234 + 999_777,
    'Left on limited keys': 400_000,
    'Codes nobody has used yet': 1_000,
    'Invitation rewards': 0,
  },
} as const;
