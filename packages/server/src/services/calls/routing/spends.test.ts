import { expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { createAttemptCounts } from './health.ts';
import { createSpends } from './spends.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const noon = Date.parse('2026-01-01T12:00:00Z');

eachDialect('the spend of a day', ({ open }) => {
  it('is that of all processes since midnight (UTC), by channel and key', async () => {
    const { db } = await open();
    let now = noon;
    const clock = () => now;
    const build = () => {
      const attempts = createAttemptCounts({ db, clock, log: quiet });
      const spends = createSpends({ reports: db, clock, attempts, log: quiet });
      return {
        spends,
        spend: (channelId: number, keyId: string | undefined, spent: number) =>
          spends.note({ channelId, keyId, model: 'm', spent }),
      };
    };
    const [one, other] = [build(), build()];
    one.spend(1, 'k1', 100);
    expect(await one.spends.today(1)).toBe(100);
    one.spend(1, 'k2', 10);
    one.spend(2, undefined, 7);
    expect(await one.spends.today(1)).toBe(110);
    expect(await one.spends.today('k2')).toBe(10);
    expect(await other.spends.today(1)).toBe(100);
    other.spend(1, 'k1', 1_000);
    // Each process writes its own counts before it reads, and does both beside the call that finds them old.
    await expect
      .poll(() => {
        now += 15_000;
        return Promise.all([one, other].map(({ spends }) => spends.today(1)));
      })
      .toEqual([1_110, 1_110]);
    for (const { spends } of [one, other]) {
      expect(await spends.today('k1')).toBe(1_100);
      expect(await spends.today(2)).toBe(7);
    }
    now += 12 * 3_600_000;
    expect(await one.spends.today(1)).toBe(0);
    one.spend(1, undefined, 5);
    expect(await one.spends.today(1)).toBe(5);
  });
});
