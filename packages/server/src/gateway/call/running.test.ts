import { describe, expect, it } from 'vitest';
import { type InFlight, Running } from './client-stream.ts';

class TestCall implements InFlight {
  index = -1;
  isDraining = false;
  ended = 0;

  end(): void {
    this.ended += 1;
  }
}

describe('the requests in flight', () => {
  it('are counted from start to end, whatever the order in which they end', () => {
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 3, 0, 2],
      [2, 0, 3, 1],
    ]) {
      const running = new Running();
      const calls = Array.from({ length: 4 }, () => new TestCall());
      for (const call of calls) running.add(call);
      const left = new Set(calls);
      for (const index of order) {
        running.delete(calls[index]!);
        running.delete(calls[index]!);
        left.delete(calls[index]!);
        expect(running.size).toBe(left.size);
        const before = calls.map(({ ended }) => ended);
        running.endAll();
        expect(calls.map(({ ended }, at) => ended - before[at]!)).toEqual(
          calls.map((call) => (left.has(call) ? 1 : 0)),
        );
      }
    }
  });

  it('are all ended, even when one of them ends another', () => {
    const running = new Running();
    const calls = Array.from({ length: 3 }, () => new TestCall());
    for (const call of calls) {
      running.add(call);
      call.end = () => {
        call.ended += 1;
        running.delete(call);
      };
    }
    running.endAll();
    expect(calls.map(({ ended }) => ended)).toEqual([1, 1, 1]);
    expect(running.size).toBe(0);
  });

  it('are ended on arrival once a stop has begun', () => {
    const running = new Running();
    running.endAll();
    const late = new TestCall();
    running.add(late);
    expect(late.ended).toBe(1);
  });

  it('are waited for', async () => {
    const running = new Running();
    const call = new TestCall();
    running.add(call);
    const settled = running.settled(60_000);
    running.delete(call);
    expect(await settled).toBe(true);
    expect(await running.settled(0)).toBe(true);
  });
});
