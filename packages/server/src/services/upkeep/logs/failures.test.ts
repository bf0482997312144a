import { logType } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFailureLog, failuresPerMinute } from './failures.ts';
import type { LogEntry } from './service.ts';

let written: LogEntry[];
let statements: number;
let now: number;
let warnings: number;
const open = (insert?: (rows: readonly LogEntry[]) => Promise<void>) =>
  createFailureLog({
    insert:
      insert ??
      (async (rows) => {
        statements += 1;
        await Promise.resolve();
        written.push(...rows);
      }),
    clock: () => now,
    log: {
      error: () => (warnings += 1),
      warn: () => (warnings += 1),
    },
  });

const row = (user: number, content = 'no'): LogEntry => ({
  type: logType.error,
  user_id: user,
  username: `u${user}`,
  content,
  other: '{"error_code":"x"}',
});
const callsOf = ({ other }: LogEntry) =>
  (JSON.parse(other ?? '{}') as { failed_calls?: number }).failed_calls;

beforeEach(() => {
  written = [];
  statements = 0;
  warnings = 0;
  now = 60_000_000;
});

describe('rows of failed calls', () => {
  it('are written one for each call, in few statements', async () => {
    const failures = open();
    for (let call = 0; call < failuresPerMinute; call += 1) failures.note(row(1, `call ${call}`));
    await failures.close();
    expect(written.map(({ content }) => content)).toEqual(
      Array.from({ length: failuresPerMinute }, (_, call) => `call ${call}`),
    );
    expect(statements).toBeLessThan(4);
  });

  it('of a user with endless failures become one row with their number, and other users keep theirs', async () => {
    const failures = open();
    for (let call = 0; call < failuresPerMinute + 1_000; call += 1) failures.note(row(1));
    failures.note(row(2));
    failures.sweep();
    await Promise.resolve();
    now += 60_000;
    failures.sweep();
    await failures.close();
    expect(written.filter(({ user_id: user }) => user === 2)).toHaveLength(1);
    const mine = written.filter(({ user_id: user }) => user === 1);
    expect(mine).toHaveLength(failuresPerMinute + 1);
    expect(callsOf(mine.at(-1)!)).toBe(1_000);
    expect(JSON.parse(mine.at(-1)!.other!)).toMatchObject({ error_code: 'x' });
  });

  it('begin anew each minute, and the rest of a minute is written by the next call', async () => {
    const failures = open();
    for (let call = 0; call < failuresPerMinute + 2; call += 1) failures.note(row(1));
    now += 60_000;
    failures.note(row(1, 'next minute'));
    await failures.close();
    expect(written).toHaveLength(failuresPerMinute + 2);
    expect(written.map(callsOf)).toContain(2);
    expect(written.at(-1)!.content).toBe('next minute');
  });

  it('do not fill the memory while the database is unavailable, and fail no call when it refuses', async () => {
    let openGate!: () => void;
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    const failures = open(async (rows) => {
      await gate;
      written.push(...rows);
      throw new Error('disk full');
    });
    for (let user = 1; user <= 6_000; user += 1) failures.note(row(user));
    openGate();
    await failures.close();
    expect(written.length).toBeLessThan(5_500);
    expect(warnings).toBe(1);
  });

  it('report once that an outage began and once how many rows it cost', async () => {
    let isDown = true;
    const failures = open(async (rows) => {
      await Promise.resolve();
      if (isDown) throw new Error('disk full');
      written.push(...rows);
    });
    for (let round = 0; round < 20; round += 1) {
      failures.note(row(round));
      await new Promise(setImmediate);
    }
    expect(warnings).toBe(1);
    isDown = false;
    failures.note(row(99));
    await failures.close();
    expect(warnings).toBe(2);
    expect(written.map(({ user_id: user }) => user)).toEqual([99]);
  });
});
