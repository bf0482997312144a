import { join } from 'node:path';
import { createLog } from '../../packages/server/src/lib/log.ts';
import {
  checkBooks,
  createLedger,
  type Ledger,
  openAccount,
  type RequestLedger,
} from '../../packages/server/src/services/ledger/index.ts';
import { migrate, openStore, type Store, users } from '../../packages/server/src/store/index.ts';

/** Pairs of hold and settlement on the ledger alone, without HTTP. */
export interface LedgerResult {
  label: string;
  callers: number;
  pairsPerSecond: number;
  /** From the hold's call to the settlement's durability. */
  p50Ms: number;
  p99Ms: number;
}

/** Who pays in a run; the key has no limit of its own. */
interface Payer {
  accountId: number;
  userId: number;
  tokenId: number;
}

interface Run {
  label: string;
  callers: number;
  pairs: number;
}

/** One pair, as the gateway does it: hold, wait until it is durable, settle with a log row. */
async function pair(ledger: RequestLedger, payer: Payer, requestId: string): Promise<void> {
  const at = Math.floor(Date.now() / 1_000);
  const reservation = await ledger.reserve({
    ...payer,
    requestId,
    channelId: 1,
    tokenUnlimited: true,
    amount: 100,
    request: '{}',
  });
  await reservation.durable;
  await ledger.settle({
    requestId,
    amount: 60,
    channelId: 1,
    counts: true,
    log: {
      user_id: payer.userId,
      created_at: at,
      type: 2,
      content: '',
      username: 'bench',
      token_name: 'bench',
      model_name: 'gpt-4o-mini',
      prompt_tokens: 57,
      completion_tokens: 40,
      use_time: 1,
      is_stream: 0,
      channel_id: 1,
      token_id: payer.tokenId,
      group: 'default',
      other: '{"model_ratio":0.075,"group_ratio":1,"completion_ratio":4}',
      request_id: requestId,
      team_id: 0,
      cost: null,
    },
    hourly: { modelName: 'gpt-4o-mini', username: 'bench', tokens: 97, at },
  });
}

/** `callers` loops over the payers until `pairs` pairs are done. */
async function measure(ledger: RequestLedger, payers: readonly Payer[], run: Run): Promise<LedgerResult> {
  const times: number[] = [];
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun < run.pairs) {
      begun += 1;
      const startedAt = performance.now();
      const payer = payers[begun % payers.length]!;
      await pair(ledger, payer, `${run.label}-${run.callers}-${begun}`);
      times.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: run.callers }, caller));
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = times.toSorted((a, b) => a - b);
  const share = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return {
    label: run.label,
    callers: run.callers,
    pairsPerSecond: run.pairs / seconds,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
  };
}

/** A user with a balance that no run uses up. */
async function openPayer({ db }: Store, ledger: Ledger, index: number): Promise<Payer> {
  const accountId = await openAccount(db);
  const username = `bench${index}`;
  const userId = await users.create(db, { account_id: accountId, username, created_time: 0 });
  const amount = 1_000_000_000;
  await ledger.credit({ txn: `gift:bench-${index}`, kind: 'gift', accountId, userId, amount });
  return { accountId, userId, tokenId: 0 };
}

/** Hold and settlement on a SQLite file in `folder`, one payer and many; ends with a check of the books. */
export async function runLedger(folder: string): Promise<LedgerResult[]> {
  const store = await openStore({ url: `sqlite:${join(folder, 'ledger.db')}` });
  await migrate(store);
  const ledger = createLedger({ store, log: createLog('warn'), clock: Date.now, node: 'bench' });
  const payers: Payer[] = [];
  for (let index = 0; index < 200; index += 1) payers.push(await openPayer(store, ledger, index));
  const results: LedgerResult[] = [];
  await measure(ledger, payers, { label: 'warm-up', callers: 64, pairs: 10_000 });
  for (const callers of [1, 32, 256, 1_000]) {
    const pairs = callers === 1 ? 500 : 30_000;
    results.push(await measure(ledger, payers.slice(0, 1), { label: 'one payer', callers, pairs }));
    results.push(await measure(ledger, payers, { label: '200 payers', callers, pairs }));
  }
  await ledger.flush();
  const findings = await checkBooks(store.db, { atRest: true });
  await ledger.close();
  await store.close();
  if (findings.length > 0) throw new Error(`the books do not balance: ${JSON.stringify(findings)}`);
  return results;
}
