import { beforeAll, expect, it } from 'vitest';
import { ledger as entries, type Store, users } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { BookAudit } from './audit.ts';
import { checkBooks } from './checks.ts';
import { rebuildTotals } from './rebuild.ts';
import { addPerson, readFigures, openLedger } from './testing/test-bed.ts';
import { openBooks, type OpenBooksInput } from './verbs/open-books.ts';

eachDialect('books that are opened', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });

  it('agree with every check, and rebuilding them changes nothing', async () => {
    const ledger = openLedger(store);
    const alice = await addPerson(store, ledger, { balance: 0, allowance: 0 });
    const bob = await addPerson(store, ledger, { balance: 0 });
    const input: OpenBooksInput = {
      name: 'import:test',
      mark: '{}',
      reason: 'moved in',
      wallets: [
        { ...alice, txn: 'import:test:user:1', balance: 900, debt: 0, used: 100, reward: 30 },
        // Bob has a debt. The used amount of a key is higher than that of its user.
        { ...bob, txn: 'import:test:user:2', balance: 0, debt: 7, used: 5, reward: 0 },
      ],
      tokens: [
        { ...alice, txn: 'import:test:token:1', remain: 400, used: 60 },
        { ...bob, txn: 'import:test:token:2', remain: 0, used: 9 },
      ],
    };
    const audit = new BookAudit(store.db);
    await audit.run();
    await ledger.change((context) => openBooks(context, input));

    expect(await readFigures(store, alice)).toMatchObject({ balance: 900, remain: 400 });
    expect(await users.find(store.db, alice.userId)).toMatchObject({ used_quota: 100, aff_quota: 30 });
    expect(await users.find(store.db, bob.userId)).toMatchObject({ used_quota: 5, request_count: 0 });
    expect(await entries.sumOfNames(store.db, 'import:test')).toEqual({ writeoff: -7, former: 105 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
    await audit.run();
    expect((await audit.run()).findings).toEqual([]);
    expect((await audit.whole()).findings).toEqual([]);
    expect((await rebuildTotals(store)).filter(({ rows }) => rows > 0)).toEqual([]);

    // Each name is in the ledger once, or none is.
    await expect(ledger.change((context) => openBooks(context, input))).rejects.toThrow(/unique|duplicate/i);
    expect(await readFigures(store, alice)).toMatchObject({ balance: 900, remain: 400 });
    await ledger.close();
  });
});
