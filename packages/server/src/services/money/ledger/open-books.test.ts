import { beforeAll, expect, it } from 'vitest';
import { accounts, budgets, ledger as entries, type Store, users } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { BookAudit } from './audit.ts';
import { checkBooks } from './checks.ts';
import { rebuildTotals } from './rebuild.ts';
import { addBudget, addPerson, readFigures, openLedger } from './testing/test-bed.ts';
import { openAccount } from './verbs/credit.ts';
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

  it('have credit that ends, the wallet of a team, and what budgets have used', async () => {
    const ledger = openLedger(store);
    const carol = await addPerson(store, ledger, { balance: 0 });
    const team = await ledger.change(({ db }) => openAccount(db));
    const budget = await addBudget(store, 500, { token_id: carol.tokenId });
    const { window_start: start } = (await budgets.find(store.db, budget))!;
    const end = 1_700_000_000 + 3_600;
    await ledger.change((context) =>
      openBooks(context, {
        name: 'import:more',
        mark: '{}',
        reason: 'moved in',
        wallets: [
          { ...carol, txn: 'import:more:user:1', balance: 10, debt: 0, used: 4, reward: 0 },
          {
            userId: 0,
            accountId: team,
            txn: 'import:more:team:1',
            balance: 70,
            debt: 0,
            used: 9,
            reward: 0,
          },
        ],
        // A key that the team pays.
        tokens: [{ ...carol, userId: 0, accountId: team, txn: 'import:more:token:1', remain: 0, used: 6 }],
        credits: [
          { ...carol, txn: 'import:more:credit:1', amount: 20, expiresAt: end },
          { ...carol, txn: 'import:more:credit:2', amount: 5, expiresAt: end + 60 },
        ],
        uses: [{ txn: 'import-budget:more:1', accountId: team, budgetId: budget, start, used: 123 }],
      }),
    );
    expect(await readFigures(store, carol)).toMatchObject({ balance: 35 });
    const account = await accounts.find(store.db, carol.accountId);
    expect(account).toMatchObject({ granted: 35, next_expiry: end });
    expect(await users.find(store.db, carol.userId)).toMatchObject({ used_quota: 4 });
    expect(await budgets.find(store.db, budget)).toMatchObject({ used: 123, held: 0 });
    expect(await entries.sumOfNames(store.db, 'import:more')).toEqual({ writeoff: 0, former: 13 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
    await ledger.close();
  });
});
