import { expect, it } from 'vitest';
import { checkBooks } from './money.ts';
import type { JobParts } from './parts.ts';

it('checks the money also where the log cannot be read', async () => {
  const logged: unknown[] = [];
  const raised: unknown[] = [];
  const findings = [{ invariant: 'I2', detail: 'entry x does not cancel out' }];
  const parts = {
    alarms: { raise: (...alarm: unknown[]) => raised.push(alarm) },
    audit: { next: () => Promise.resolve({ findings, entries: 1 }) },
    checkHours: () => Promise.reject(new Error('the log is away')),
    log: { error: (fields: object) => logged.push(fields) },
  } as unknown as JobParts;
  await expect(checkBooks(parts)!.run()).rejects.toThrow('the log is away');
  expect(logged).toEqual([{ findings }]);
  const detail = 'I2: entry x does not cancel out';
  expect(raised).toEqual([['books_differ', { subject: '', name: '', detail }]]);
});
