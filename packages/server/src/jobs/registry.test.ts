import { expect, it } from 'vitest';
import { processJobs } from './registry.ts';
import type { JobParts } from './parts.ts';

const namesWith = (parts: Partial<JobParts>): string[] =>
  processJobs({ isAlone: true, testMinutes: 0, balanceMinutes: 0, ...parts } as JobParts).map(
    ({ name }) => name,
  );

it('channels are tested and balances fetched only where the environment sets an interval', () => {
  expect(namesWith({})).not.toContain('test-channels');
  expect(namesWith({})).not.toContain('update-balances');
  expect(namesWith({ testMinutes: 5 })).toContain('test-channels');
  expect(namesWith({ balanceMinutes: 5 })).toContain('update-balances');
});

it('holds of other processes are ended only where the database is shared', () => {
  expect(namesWith({ isAlone: true })).not.toContain('recover-others');
  expect(namesWith({ isAlone: false })).toContain('recover-others');
});

it('every job has a name of its own', () => {
  const names = namesWith({ isAlone: false, testMinutes: 5, balanceMinutes: 5 });
  expect(new Set(names).size).toBe(names.length);
});
