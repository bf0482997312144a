import { type Ledger, openAccount } from '../../packages/server/src/services/money/ledger/index.ts';
import { type Store, users } from '../../packages/server/src/store/index.ts';
import type { Payer } from './pair.ts';

/** A user with a balance that is sufficient for every run. */
export async function openPayer({ db }: Store, ledger: Ledger, index: number): Promise<Payer> {
  const accountId = await openAccount(db);
  const username = `bench${index}`;
  const userId = await users.create(db, { account_id: accountId, username, created_time: 0 });
  const amount = 1_000_000_000;
  await ledger.credit({ txn: `gift:bench-${index}`, kind: 'gift', accountId, userId, amount });
  return { accountId, userId, tokenId: 0 };
}
