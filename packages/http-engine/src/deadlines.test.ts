import { describe, expect, it } from 'vitest';
import { Deadlines, type Timed } from './deadlines.ts';

class Item implements Timed {
  deadline = Infinity;
  index = -1;
  expired = 0;
  private readonly onExpire: (item: Item) => void;

  constructor(onExpire: (item: Item) => void = () => undefined) {
    this.onExpire = onExpire;
  }

  expire(): void {
    this.expired += 1;
    this.onExpire(this);
  }
}

const soon = { interval: 5, timeout: 10_000 };

describe('deadlines', () => {
  it('fire in their order, each once, however far apart they are', async () => {
    const deadlines = new Deadlines<Item>();
    const met: string[] = [];
    const make = (name: string, ms: number) => {
      const item = new Item(() => met.push(name));
      deadlines.add(item);
      deadlines.set(item, ms);
      return item;
    };
    const [late, never, early] = [make('late', 1_200), make('never', 0), make('early', 20)];
    await expect.poll(() => met, soon).toEqual(['early', 'late']);
    expect([late.expired, never.expired, early.expired]).toEqual([1, 0, 1]);
  });

  it('move on activity, and fire without', async () => {
    const deadlines = new Deadlines<Item>();
    const [lively, silent] = [new Item(), new Item()];
    for (const item of [lively, silent]) {
      deadlines.add(item);
      deadlines.set(item, 60);
    }
    const life = setInterval(() => deadlines.set(lively, 60_000), 5);
    await expect.poll(() => silent.expired, soon).toBe(1);
    clearInterval(life);
    expect(lively.expired).toBe(0);
    deadlines.set(lively, 10);
    await expect.poll(() => lively.expired, soon).toBe(1);
  });

  it('are removed with their owner, also while others fire', async () => {
    const deadlines = new Deadlines<Item>();
    const items: Item[] = [];
    for (let index = 0; index < 10; index += 1) {
      // Each item also removes its neighbour.
      const item = new Item(() => {
        deadlines.remove(item);
        deadlines.remove(items[index ^ 1]!);
      });
      items.push(item);
      deadlines.add(item);
      deadlines.set(item, 10);
    }
    await expect.poll(() => deadlines.size, soon).toBe(0);
    expect(items.map((item) => item.index)).toEqual(items.map(() => -1));
    for (let pair = 0; pair < 10; pair += 2) expect(items[pair]!.expired + items[pair + 1]!.expired).toBe(1);
  });

  it('visit everything once even if what they visit is removed', () => {
    const deadlines = new Deadlines<Item>();
    const items = Array.from({ length: 7 }, () => new Item());
    for (const item of items) deadlines.add(item);
    const seen: Item[] = [];
    deadlines.forEach((item) => {
      seen.push(item);
      deadlines.remove(item);
    });
    expect([seen.length, new Set(seen).size, deadlines.size]).toEqual([7, 7, 0]);
  });
});
