import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import type { Store } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { checkBooks } from './checks.ts';
import { addBudget, addPerson, budgetFigures, openLedger, reachedShares } from './testing/test-bed.ts';

/** Kills per database; a campaign asks for more. */
const kills = Number(process.env['LEDGER_KILLS'] ?? 2);

/** Runs the child until it has acknowledged `lines` lines, then kills it with SIGKILL. Returns its complete output. */
async function runAndKill(url: string, people: string, seed: number, lines: number): Promise<string[]> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'testing/crash-child.ts'), url, people, String(seed)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  return printed;
}

/** A store that counts as a database server shared by several processes, on any database. */
const shared = (store: Store): Store => {
  const { kind, db, reports, dialect } = store;
  return { kind, db, reports, dialect, close: () => store.close() };
};

async function readHolds({ db }: Store): Promise<number> {
  return (await db.selectFrom('holds').select('request_id').execute()).length;
}

eachDialect('the ledger killed under load', ({ open, openAgain, url }) => {
  it(
    'leaves no hold that another process does not give back within 15 s of its clock',
    { timeout: 120_000 },
    async () => {
      const store = await open();
      const first = openLedger(store);
      const person = await addPerson(store, first, { balance: 1_000_000_000 });
      await first.close();
      await store.close();
      const again = shared(await openAgain());
      // A kill at a moment without a hold leaves nothing to release. Another kill follows.
      for (let kill = 1; (await readHolds(again)) === 0; kill += 1) {
        expect(kill).toBeLessThan(50);
        await runAndKill(url(), JSON.stringify([person]), kill, 300);
      }
      let seconds = 0;
      const neighbour = openLedger(again, { node: 'neighbour', monotonic: () => seconds * 1_000 });
      const ended = { settled: 0, released: 0 };
      for (; seconds < 13; seconds += 1) {
        const done = await neighbour.recoverOthers();
        ended.settled += done.settled;
        ended.released += done.released;
      }
      expect(ended.settled + ended.released).toBeGreaterThan(0);
      expect(await checkBooks(again.db, { atRest: true })).toEqual([]);
      await neighbour.close();
    },
  );

  it(
    'keeps every settlement it acknowledged, at the right amount, and leaves no hold',
    { timeout: 120_000 },
    async () => {
      const store = await open();
      const first = openLedger(store);
      const people = await Promise.all(
        [null, 2_000_000_000, null, 3_000_000_000].map((allowance) =>
          addPerson(store, first, { balance: 1_000_000_000, allowance }),
        ),
      );
      const budget = await addBudget(store, 2_000_000_000, { period: 'month' });
      const soft = await addBudget(store, 20_000, { period: 'month', mode: 'soft', shares: '10,50,100' });
      const sliding = await addBudget(store, 2_000_000_000, { period: 'day', parts: '' });
      for (const person of people.slice(1)) person.budgets = [budget, soft, sliding];
      await first.close();
      await store.close();
      const acknowledged = new Map<string, number>();
      for (let kill = 0; kill < kills; kill += 1) {
        const printed = await runAndKill(url(), JSON.stringify(people), kill, 200 + kill * 150);
        for (const line of printed) {
          const [id = '', amount = ''] = line.split(' ');
          if (/^\d+$/.test(amount)) acknowledged.set(id, Number(amount));
        }
      }
      const again = await openAgain();
      const ledger = openLedger(again, { node: 'child' });
      await ledger.recover();
      const booked = await again.db
        .selectFrom('ledger')
        .select(['txn', 'account_delta'])
        .where('kind', '=', 'usage')
        .execute();
      const charged = new Map(booked.map((entry) => [entry.txn, -entry.account_delta]));
      expect(acknowledged.size).toBeGreaterThan(100 * kills);
      const wrong = [...acknowledged].filter(([id, amount]) => charged.get(id) !== amount);
      expect(wrong).toEqual([]);
      const counted = await budgetFigures(again, budget);
      expect([counted.held, counted.used > 0]).toEqual([0, true]);
      expect(await budgetFigures(again, sliding)).toMatchObject({ used: counted.used, held: 0 });
      const { used, start } = await budgetFigures(again, soft);
      expect(await reachedShares(again, soft)).toEqual(
        [10, 50, 100]
          .filter((share) => used >= 200 * share)
          .map((share) => `${start}:${share}`)
          .toSorted(),
      );
      expect(used).toBeGreaterThan(2_000);
      expect(await checkBooks(again.db, { atRest: true })).toEqual([]);
      await ledger.close();
    },
  );
});
