import { describe, expect, it } from 'vitest';
import { readEnv } from '../env.ts';
import { workerCount } from './count.ts';
import { isWorkerName, workerName } from './orders.ts';

const postgres = 'postgres://db/tollgate';
const machine = { platform: 'linux', cores: 4 } as const;
const countOf = (env: Record<string, string>, of: { platform: NodeJS.Platform; cores: number } = machine) =>
  workerCount(readEnv(env), of);

describe('how many workers there are', () => {
  it('is one unless more are asked for, and then so many', () => {
    expect(countOf({})).toBe(1);
    expect(countOf({ DATABASE_URL: postgres })).toBe(1);
    expect(countOf({ DATABASE_URL: postgres, WORKERS: '3' })).toBe(3);
    expect(countOf({ DATABASE_URL: postgres, WORKERS: 'auto' })).toBe(4);
    expect(countOf({ DATABASE_URL: postgres, WORKERS: 'auto' }, { ...machine, cores: 1 })).toBe(1);
  });

  it('is one on SQLite: a start with a number above says what to change', () => {
    expect(countOf({ WORKERS: '1' })).toBe(1);
    expect(countOf({ WORKERS: 'auto' })).toBe(1);
    expect(() => countOf({ WORKERS: '2' })).toThrow(
      'WORKERS is 2, but SQLite serves one process: remove WORKERS, or set DATABASE_URL to PostgreSQL',
    );
  });

  it('is one on Windows, and a number that cannot be had there is refused in words', () => {
    const windows = { platform: 'win32', cores: 4 } as const;
    expect(countOf({ DATABASE_URL: postgres, WORKERS: 'auto' }, windows)).toBe(1);
    expect(() => countOf({ DATABASE_URL: postgres, WORKERS: '2' }, windows)).toThrow('Unix systems alone');
  });

  it.each(['0', '65', '-1', '2.5', 'many'])('is no %s', (WORKERS) => {
    expect(() => readEnv({ WORKERS })).toThrow('WORKERS must be auto or a whole number from 1 to 64');
  });

  it('leaves each worker a name of its own, however long that of the first process is', () => {
    const long = 'h'.repeat(64);
    const names = [1, 2, 11].map((index) => workerName(long, index));
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(64);
    expect(names.map(isWorkerName)).toEqual([true, true, true]);
    expect(isWorkerName('host:3000:/data/w1')).toBe(false);
  });
});
