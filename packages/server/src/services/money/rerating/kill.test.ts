import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FaultPoint } from '../../../lib/fault-point.ts';
import type { Store } from '../../../store/index.ts';
import { eachDialect, repeatedOn } from '../../../store/each-dialect.ts';
import { figures, makeCall, openReratings, type Ratios } from '../../../testing/rerating/bed.ts';
import { checkBooks } from '../ledger/index.ts';
import { addPerson, openLedger } from '../ledger/testing/test-bed.ts';

const wrong: Ratios = { chat: 10 };
const right: Ratios = { chat: 1 };
const child = join(import.meta.dirname, '../../../testing/rerating/crash-child.ts');

/** A process that works on corrections on request. */
class Neighbour {
  private readonly process = spawn(process.execPath, [child], { stdio: ['pipe', 'pipe', 'inherit'] });

  /** Resolves when all pending work on a database is done; to the signal if the process died of its faults. */
  async work(url: string, faults = ''): Promise<NodeJS.Signals | 'done'> {
    const ended = once(this.process, 'exit').then(() => this.process.signalCode);
    const done = once(this.process.stdout, 'data').then(() => 'done' as const);
    this.process.stdin.write(`${url} ${faults}\n`);
    const end = await Promise.race([ended, done]);
    if (end === null) throw new Error(`it ended with ${this.process.exitCode}`);
    return end;
  }

  close(): void {
    this.process.kill();
  }
}

/** Ninety charges, half of them of a second person: three steps. */
async function openWorld(store: Store) {
  const ledger = openLedger(store);
  const people = [
    await addPerson(store, ledger, { balance: 1_000_000, allowance: 900_000 }),
    await addPerson(store, ledger, { balance: 1_000_000 }),
  ];
  for (let index = 0; index < 90; index += 1) {
    const person = people[index % 2]!;
    await makeCall(ledger, wrong, { person, requestId: `r${index}`, model: 'chat', input: 100, output: 3 });
  }
  return { ledger, people, reratings: openReratings(store, ledger, { right }) };
}

/** Two processes that live for all tests: a start takes longer than a correction. */
let others: Neighbour[];
beforeAll(() => {
  others = [new Neighbour(), new Neighbour()];
});
afterAll(() => others.forEach((each) => each.close()));

/** Total overcharge of 90 calls of 103 tokens. */
const back = 90 * 103 * 9;

eachDialect('a correction whose process is killed', ({ kind, open, url }) => {
  const points = [
    ['rerating-in-transaction', 'rerating-reverting'],
    ['rerating-planned', 'rerating-planned'],
    ['rerating-committed', 'rerating-committed'],
  ] as const;
  for (const [index, [point, undoing]] of points.entries())
    it(
      `at ${point} is finished by other processes, once, and so is its undoing`,
      { timeout: 120_000, tags: index > 0 ? ['deep'] : repeatedOn(kind).tags },
      async () => {
        const store = await open();
        const { ledger, people, reratings } = await openWorld(store);
        const before = await figures(store, people);
        const dieAt = async (at: FaultPoint) =>
          expect(await new Neighbour().work(url(), `${at}:kill:2`)).toBe('SIGKILL');
        // Two processes at once: either one may finish the work that the other began.
        const finish = async () =>
          expect(await Promise.all(others.map((each) => each.work(url())))).toEqual(['done', 'done']);
        const { id } = await reratings.start(1, { rehearsal: 'right', reason: 'x', collect: false });
        await dieAt(point);
        expect((await reratings.get(id)).state).toBe('running');
        await finish();
        expect(await reratings.get(id)).toMatchObject({
          state: 'done',
          corrected_rows: 90,
          given_back: back,
        });
        expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
        const sum = (all: Awaited<ReturnType<typeof figures>>) =>
          all.people.reduce((total, { balance }) => total + balance, 0);
        expect(sum(await figures(store, people)) - sum(before)).toBe(back);
        await reratings.revert(1, id, 'x');
        await dieAt(undoing);
        expect((await reratings.get(id)).state).toBe('reverting');
        await finish();
        expect((await reratings.get(id)).state).toBe('reverted');
        expect(await figures(store, people)).toEqual(before);
        expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
        await ledger.close();
      },
    );
});
