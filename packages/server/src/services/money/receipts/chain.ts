import { isObject, parseObject } from '../../../lib/json.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type Db, logs, type ReceiptRow, receipts, type UnsealedEntry } from '../../../store/index.ts';
import {
  canonical,
  hashOf,
  readBody,
  type ReceiptAnswer,
  type ReceiptBody,
  type ReceiptCall,
  signBody,
} from './document.ts';
import { signingKey } from './keys.ts';

/** Entries that get their receipts in one transaction: their work takes about 10 ms, for which calls may wait. */
const entriesAtOnce = 100;

export interface ChainDeps {
  db: Db;
  /** A connection for reading many rows. */
  reports: Db;
  sealer: Sealer;
  /** Unix seconds. */
  now(): number;
}

/**
 * Gives the next entries up to `end` their receipts, in one transaction, which also moves the mark: of several processes one
 * writes them, and a process that dies has written all or nothing. Returns false once there is nothing more to do.
 */
export async function sealNext(deps: ChainDeps, end: number): Promise<boolean> {
  const { db, reports, sealer } = deps;
  const after = await receipts.sealedUpTo(db);
  if (after === undefined || after >= end) return false;
  const entries = await receipts.entries(reports, { after, upTo: end }, entriesAtOnce);
  const upTo = entries.length < entriesAtOnce ? end : entries.at(-1)!.id;
  const { kid, key, sealed_at } = await signingKey(db, sealer, deps.now());
  const calls = await readCalls(reports, entries);
  const heads = await readHeads(deps, entries, after);
  const rows: Promise<ReceiptRow>[] = entries.map(async (entry) => {
    const head = heads.get(entry.account_id)!;
    const call = calls.get(requestOf(entry)) ?? null;
    const body = canonical(bodyOf(entry, head, { kid, sealed_at, call }));
    heads.set(entry.account_id, {
      seq: head.seq + 1,
      balance: head.balance + entry.account_delta,
      hash: hashOf(body),
    });
    const { account_id, id: ledger_id, at } = entry;
    return { account_id, seq: head.seq + 1, ledger_id, at, body, signature: await signBody(key, body) };
  });
  return receipts.append(db, { after, upTo }, await Promise.all(rows));
}

/** The end of a chain. */
interface Head {
  seq: number;
  balance: number;
  hash: string;
}

async function readHeads(
  { db, reports }: ChainDeps,
  entries: readonly UnsealedEntry[],
  after: number,
): Promise<Map<number, Head>> {
  const accounts = [...new Set(entries.map(({ account_id: id }) => id))];
  if (accounts.length === 0) return new Map();
  const known = await receipts.heads(db, accounts);
  const heads = new Map<number, Head>(
    known.map(({ account_id: id, seq, body }) => [
      id,
      { seq, balance: readBody(body).balance, hash: hashOf(body) },
    ]),
  );
  const fresh = accounts.filter((id) => !heads.has(id));
  if (fresh.length > 0)
    for (const [id, balance] of await receipts.openings(reports, fresh, after))
      heads.set(id, { seq: 0, balance, hash: '' });
  return heads;
}

const bodyOf = (
  entry: UnsealedEntry,
  head: Head,
  signed: Pick<ReceiptBody, 'kid' | 'sealed_at' | 'call'>,
): ReceiptBody => ({
  v: 1,
  type: 'receipt',
  account: entry.account_id,
  seq: head.seq + 1,
  prev: head.hash,
  entry: entry.id,
  txn: entry.txn.toWellFormed(),
  kind: entry.kind,
  at: entry.at,
  user: entry.user_id,
  token: entry.token_id,
  amount: entry.account_delta,
  balance: head.balance + entry.account_delta,
  written_off: 0 - entry.writeoff_delta || 0,
  ...signed,
});

/** The request id of a charge; '' for other entries. */
const requestOf = ({ kind, txn }: Pick<UnsealedEntry, 'kind' | 'txn'>): string =>
  kind === 'usage' ? txn.replace(/^late:/, '') : '';

/** The calls of charges, by request id; without those whose log rows are gone. */
async function readCalls(reports: Db, entries: readonly UnsealedEntry[]): Promise<Map<string, ReceiptCall>> {
  const ids = entries.map(requestOf).filter((id) => id !== '');
  const rows = await logs.consumptions(reports, ids);
  return new Map(
    rows.map((row) => {
      const other = parseObject(row.other) ?? {};
      const call: ReceiptCall = {
        request_id: row.request_id,
        model: row.model_name.toWellFormed(),
        prompt_tokens: row.prompt_tokens,
        completion_tokens: row.completion_tokens,
        usage_source: textIn(other, 'usage_source'),
        end_reason: textIn(other, 'end_reason'),
        terms: termsOf(other['receipt']),
        answer: answerOf(other['answer']),
      };
      return [row.request_id, call];
    }),
  );
}

type Fields = Readonly<Record<string, unknown>>;

const textIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value.toWellFormed() : '';
};

/** Only whole numbers are in receipts: each language writes them alike. */
const wholeIn = (fields: Fields, name: string): number => {
  const value = fields[name];
  return Number.isSafeInteger(value) ? (value as number) : 0;
};

function termsOf(receipt: unknown): ReceiptCall['terms'] {
  if (!isObject(receipt) || !Array.isArray(receipt['terms'])) return [];
  return receipt['terms'].filter(isObject).map((term) => ({
    what: textIn(term, 'what'),
    count: wholeIn(term, 'count'),
    unit: textIn(term, 'unit'),
    amount: textIn(term, 'amount'),
  }));
}

function answerOf(answer: unknown): ReceiptAnswer | null {
  if (!isObject(answer)) return null;
  return {
    id: textIn(answer, 'id'),
    model: textIn(answer, 'model'),
    fingerprint: textIn(answer, 'fingerprint'),
    bytes: wholeIn(answer, 'bytes'),
    sha256: textIn(answer, 'sha256'),
  };
}
