import { beforeEach, expect, it } from 'vitest';
import { sha256 } from '../lib/hash.ts';
import { checkBooks } from '../services/money/ledger/index.ts';
import { eachFleet, type Fleet } from '../services/money/ledger/testing/fleet.ts';
import {
  addPerson,
  bill,
  readFigures,
  type Person,
  unique,
  holdRequest,
} from '../services/money/ledger/testing/test-bed.ts';
import { redemptions, type Store } from '../store/index.ts';
import { sized } from '../testing/scoreboard-size.ts';

/** Runs `work` for every number below `count`, at most `atOnce` at a time. */
async function inParallel(count: number, atOnce: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

// With workers, the console's process moves the money, and workers run the calls.
eachFleet('the slow path of the ledger', [2], (open) => {
  let fleet: Fleet;
  let store: Store;
  let ledger: Fleet['first'];
  beforeEach(async () => {
    fleet = await open();
    ({ store, first: ledger } = fleet);
  });

  it('Q10 winners per redemption code: 1.00 among 64 who ask at once', { timeout: 600_000 }, async () => {
    const codes = sized(200, 40);
    const people = await Promise.all(
      Array.from({ length: 64 }, () => addPerson(store, ledger, { balance: 0 })),
    );
    const keys = Array.from({ length: codes }, () => unique('code'));
    const made = keys.map((key) => ({
      user_id: 1,
      key_hash: sha256(key),
      key_sealed: '',
      name: 'gift',
      quota: 777,
      created_time: 0,
    }));
    await redemptions.create(store.db, made);
    for (const key of keys) {
      const results = await Promise.all(
        people.map(({ userId }) =>
          ledger.redeem({ key, userId, timeZone: 'UTC', content: () => 'redeemed' }),
        ),
      );
      expect(results.filter(({ outcome }) => outcome === 'redeemed')).toHaveLength(1);
      expect(results.filter(({ outcome }) => outcome === 'used')).toHaveLength(63);
    }
    let sum = 0;
    for (const person of people) sum += (await readFigures(store, person)).balance;
    expect(sum).toBe(codes * 777);
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it(
    'Q11 lost updates: none among spends with reward transfers and administrators in between',
    { timeout: 600_000 },
    async () => {
      const { workers } = fleet;
      // All processes on a server contend for one wallet.
      const [spends, others] = [sized(workers.length > 1 ? 3_000 : 10_000, 1_500), sized(200, 100)];
      const start = 1_000_000_000;
      const person: Person = await addPerson(store, ledger, { balance: start, allowance: start });
      const { accountId, userId, tokenId } = person;
      await ledger.addReward({ txn: unique('reward'), inviterId: userId, amount: others * 10 });
      let cost = 0;
      let keyCost = 0;
      let adjusted = 0;
      // Without a limiting key a hold may be granted before it is in the database.
      const keyless = { ...person, tokenId: 0, unlimited: true };
      let grantedAtOnce = 0;
      const spend = async (n: number): Promise<void> => {
        const worker = workers[n % workers.length]!;
        const by = Math.floor(n / workers.length) % 2 === 0 ? person : keyless;
        const id = unique('spend');
        const reserved = worker.reserve({ ...holdRequest(by, id, 50), deferrable: true });
        if (!(reserved instanceof Promise)) grantedAtOnce += 1;
        await reserved;
        await worker.settle(bill(by, id, n % 40));
        cost += n % 40;
        if (by === person) keyCost += n % 40;
      };
      const work = [
        inParallel(spends, 100, spend),
        inParallel(others, 4, async () => {
          await ledger.transferReward({ txn: unique('transfer'), userId, amount: 10 });
        }),
        inParallel(others, 4, async (n) => {
          // An absolute value is applied as a difference from the current row, not from an earlier read (I16).
          const change = n % 5 === 0 ? { to: start } : { by: n - 30 };
          const reason = 'scoreboard';
          const moved = { txn: unique('adjust'), accountId, userId, change, actorId: 1, reason };
          await ledger.adjust(moved);
        }),
        inParallel(others, 4, async () => {
          await ledger.grantToken({ txn: unique('grant'), tokenId, change: { by: 7 }, actorId: userId });
        }),
      ];
      await Promise.all(work);
      await fleet.flush();
      const entries = await store.db
        .selectFrom('ledger')
        .select('account_delta')
        .where('kind', '=', 'adjust')
        .execute();
      for (const entry of entries) adjusted += entry.account_delta;
      const figures = await readFigures(store, person);
      expect(figures.balance).toBe(start - cost + others * 10 + adjusted);
      expect(figures.remain).toBe(start - keyCost + others * 7);
      expect(figures).toMatchObject({
        held: 0,
        tokenHeld: 0,
        used: cost,
        tokenUsed: keyCost,
        requests: spends,
        reward: 0,
      });
      expect(grantedAtOnce).toBeGreaterThan(spends / 10);
      expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
    },
  );
});
