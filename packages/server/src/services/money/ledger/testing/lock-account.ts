import { balances, inTransaction, type Store } from '../../../../store/index.ts';
import type { Person } from './test-bed.ts';

/** Locks the user's account until the returned function is called; the function resolves when the lock is released. */
export async function lockAccount(
  { db }: Pick<Store, 'db'>,
  person: Pick<Person, 'accountId'>,
): Promise<() => Promise<void>> {
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const { promise: end, resolve: release } = Promise.withResolvers<void>();
  const done = inTransaction(db, async (trx) => {
    await balances.lockAccounts(trx, [person.accountId]);
    isLocked();
    await end;
  });
  await locked;
  return async () => {
    release();
    await done;
  };
}
