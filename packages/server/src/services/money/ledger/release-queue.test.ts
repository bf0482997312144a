import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { EventEmitter } from 'node:events';
import { InsufficientQuota, type Waiting } from './plan/types.ts';
import { ReleaseQueue } from './release-queue.ts';

interface ModelCall {
  name: string;
  member: number;
  needed: number;
}

/** Reference order: the member with the longest wait since its last turn, and its oldest call that fits. */
class LongestWithoutTurn {
  readonly served: string[] = [];
  private free = 0;
  private now = 0;
  private waiting: ModelCall[] = [];
  /** Start of a member's wait, or time of its last turn. */
  private readonly since = new Map<number, number>();

  call(call: ModelCall): void {
    if (!this.waiting.some(({ member }) => member === call.member)) this.since.set(call.member, this.now++);
    this.waiting.push(call);
    this.serve();
  }

  release(amount: number): void {
    this.free += amount;
    this.serve();
  }

  leave(name: string): void {
    this.waiting = this.waiting.filter((call) => call.name !== name);
  }

  private serve(): void {
    for (;;) {
      const fitting = this.waiting.filter(({ needed }) => needed <= this.free);
      const [next] = fitting.toSorted((a, b) => this.since.get(a.member)! - this.since.get(b.member)!);
      if (!next) return;
      this.free -= next.needed;
      this.served.push(next.name);
      this.leave(next.name);
      this.since.set(next.member, this.now++);
    }
  }
}

/** One account without a database: its free amount and its total. */
describe('calls that wait for a release', () => {
  const waitMs = 300;
  let queue: ReleaseQueue;
  let free: number;
  let total: number;
  let order: string[];
  beforeEach(() => {
    queue = new ReleaseQueue(waitMs);
    free = 0;
    total = 100;
    order = [];
  });
  afterEach(() => {
    expect(queue.isEmpty).toBe(true);
  });

  const waiting = (more: Partial<Waiting> = {}): Waiting => ({
    payer: { accountId: 1, tokenId: 0, memberId: 0 },
    ...more,
  });
  const take = (name: string, needed: number, as = waiting()): Promise<boolean> =>
    queue.whenReleased(as, async (isLast) => {
      await Promise.resolve();
      if (needed > free) throw new InsufficientQuota('account', free, needed, total);
      free -= needed;
      order.push(name);
      return isLast;
    });
  const release = (amount: number): void => {
    free += amount;
    queue.released(1);
  };
  const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  const readRefusal = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

  it('are served in their order, and a small one does not wait for a large one', async () => {
    const calls = [take('large', 50), take('first', 10), take('second', 10), take('third', 10)];
    await settled();
    release(20);
    await settled();
    expect(order).toEqual(['first', 'second']);
    release(60);
    await Promise.all(calls);
    expect(order).toEqual(['first', 'second', 'large', 'third']);
  });

  it('come after a call that is running, and in turn with those of other members', async () => {
    const of = (memberId: number): Waiting => waiting({ payer: { accountId: 1, tokenId: 0, memberId } });
    const calls = [
      ...['a', 'b', 'c'].map((name) => take(`one ${name}`, 10, of(1))),
      take('two a', 10, of(2)),
      take('running', 10, { ...of(1), isRunning: true }),
    ];
    await settled();
    release(50);
    await Promise.all(calls);
    expect(order).toEqual(['running', 'one a', 'two a', 'one b', 'one c']);
  });

  it('take turns by member and are served in their order, whatever comes and goes meanwhile', async () => {
    const member = fc.integer({ min: 1, max: 3 });
    const step = fc.oneof(
      fc.record({ does: fc.constant('call' as const), member, needed: fc.integer({ min: 1, max: 9 }) }),
      fc.record({ does: fc.constant('release' as const), amount: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ does: fc.constant('hang up' as const), which: fc.nat() }),
    );
    const round = async (): Promise<void> => {
      for (let i = 0; i < 4; i += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    const steps = fc.array(step, { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        [queue, free, total, order] = [new ReleaseQueue(10_000), 0, 100, []];
        const model = new LongestWithoutTurn();
        const callers: { name: string; hangUp: () => void }[] = [];
        const calls: Promise<unknown>[] = [];
        for (const [n, one] of history.entries()) {
          if (one.does === 'call') {
            const { member: memberId, needed } = one;
            const name = `${n}: member ${memberId}, ${needed}`;
            const caller = Object.assign(new EventEmitter(), { destroyed: false });
            const payer = { accountId: 1, tokenId: 0, memberId };
            callers.push({ name, hangUp: () => caller.emit('close') });
            calls.push(readRefusal(take(name, needed, waiting({ payer, caller }))));
            model.call({ name, member: memberId, needed });
          } else if (one.does === 'release') {
            release(one.amount);
            model.release(one.amount);
          } else if (callers.length > 0) {
            const { name, hangUp } = callers[one.which % callers.length]!;
            hangUp();
            model.leave(name);
          }
          await round();
          expect(order).toEqual(model.served);
        }
        total = 0;
        release(0);
        await Promise.all(calls);
      }),
      { numRuns: 200 },
    );
  });

  it('are not overtaken by a call that comes when another process has released something', async () => {
    const calls = [take('waits', 10)];
    await settled();
    free = 10;
    calls.push(take('newcomer', 10));
    await settled();
    expect(order).toEqual(['waits']);
    release(10);
    await Promise.all(calls);
  });

  it('see a release of another process', async () => {
    const call = take('call', 10);
    await settled();
    free = 10;
    expect(await call).toBe(false);
  });

  it('are refused at once where no release would help, and when that becomes so', async () => {
    expect(await readRefusal(take('too much', 101))).toMatchObject({ isHeld: false });
    const call = readRefusal(take('call', 50));
    await settled();
    total = 40;
    release(0);
    expect(await call).toMatchObject({ isHeld: false, unheld: 40 });
  });

  it('have a last attempt when their time is up, and are then refused as held', async () => {
    const began = performance.now();
    const attempts: boolean[] = [];
    const refusal = await readRefusal(
      queue.whenReleased(waiting(), (isLast) => {
        attempts.push(isLast);
        return Promise.reject(new InsufficientQuota('account', 0, 10, 100));
      }),
    );
    expect(performance.now() - began).toBeGreaterThanOrEqual(waitMs - 1);
    expect(refusal).toMatchObject({ isHeld: true });
    expect(attempts.filter(Boolean)).toEqual([true]);
    expect(attempts.at(-1)).toBe(true);
  });

  it('end when their caller hangs up, and take nothing', async () => {
    const caller = Object.assign(new EventEmitter(), { destroyed: false });
    const call = readRefusal(take('call', 10, waiting({ caller })));
    await settled();
    caller.emit('close');
    expect(await call).toBeInstanceOf(InsufficientQuota);
    release(10);
    await settled();
    expect([order, free]).toEqual([[], 10]);
  });

  it('are bounded for each payer, and one payer leaves room for others', async () => {
    const calls = Array.from({ length: 1_001 }, (_, n) => readRefusal(take(String(n), 10)));
    // The last call has had its only attempt.
    expect(await calls[1_000]).toMatchObject({ isHeld: true });
    const other = queue.whenReleased(waiting({ payer: { accountId: 2, tokenId: 0 } }), () =>
      Promise.resolve(7),
    );
    expect(await other).toBe(7);
    total = 0;
    release(0);
    await Promise.all(calls);
  });
});
