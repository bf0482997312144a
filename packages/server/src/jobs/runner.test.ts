import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../lib/log.ts';
import { startJobs } from './runner.ts';

const quiet = createLog('silent');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('jobs', () => {
  it('run repeatedly, never twice at once', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const job = {
      name: 'slow',
      everyMs: 10,
      async run() {
        runs += 1;
        most = Math.max(most, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 100));
        running -= 1;
      },
    };
    const runner = startJobs([job], quiet);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(most).toBe(1);
    expect(runs).toBeGreaterThan(5);
    const stopping = runner.stop();
    await vi.advanceTimersByTimeAsync(200);
    await stopping;
    const before = runs;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(before);
  });

  const failed = (runs: number): never => {
    throw new Error(`run ${runs}`);
  };

  it.each([
    { how: 'rejected', run: async (runs: number): Promise<void> => failed(runs) },
    { how: 'threw before it had a promise', run: (runs: number): Promise<void> => failed(runs) },
  ])('go on after a run that $how', async ({ run }) => {
    let runs = 0;
    const runner = startJobs([{ name: 'bad', everyMs: 10, run: () => run((runs += 1)) }], quiet);
    await vi.advanceTimersByTimeAsync(100);
    await runner.stop();
    expect(runs).toBeGreaterThan(3);
  });
});
