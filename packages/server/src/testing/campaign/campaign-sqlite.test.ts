/** @module-tag deep */
import { faultPoints } from '../../lib/fault-point.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from './runs.ts';
import { runCampaign } from './runs.ts';

// The short form of `npm run campaign`: every fault once, on the real program in its own process.

describe('Tollgate on SQLite, killed and starved', () => {
  let result: RunResult;
  beforeAll(async () => {
    const options = { database: 'sqlite', rounds: 1, short: true, clients: 16, seed: 20_261_121 } as const;
    result = await runCampaign({ ...options, say: () => undefined });
    for (const reason of result.skipped) console.log(`skipped: ${reason}`);
  }, 600_000);

  it('has every acknowledged call in its books exactly once after every fault, and charges nothing else', () => {
    expect(result.rows.flatMap(({ fault, wrong }) => wrong.map((text) => `${fault}: ${text}`))).toEqual([]);
  });

  it('was really struck: calls were acknowledged, cut off, and charged at their last mark', () => {
    const sum = (figure: 'acknowledged' | 'cutOff' | 'recovered') =>
      result.rows.reduce((total, row) => total + row[figure], 0);
    for (const kind of ['chat', 'image', 'transcription', 'voice'] as const) {
      expect(result.seen[kind]).toBeGreaterThan(10);
    }
    expect(result.paidByTeam).toBeGreaterThan(20);
    expect(result.budgeted.all).toBeGreaterThan(100);
    expect(result.budgeted.inRuns).toBeGreaterThan(50);
    expect(sum('acknowledged')).toBeGreaterThan(100);
    expect(sum('cutOff')).toBeGreaterThan(100);
    expect(sum('recovered')).toBeGreaterThan(0);
    // Separate tests kill corrections of charges (services/money/rerating), expiries (services/money/ledger), notices (services/money/grants), mails (services/money/statements) sales and batches (testing/campaign/tasks).
    const points = faultPoints.filter(
      (point) => !/^(callback|rerating|grants|notice|statement|log|import|sale|batch)-/.test(point),
    );
    expect(result.rows.map(({ fault }) => fault)).toEqual(
      expect.arrayContaining([...points, 'callback-in-transaction']),
    );
  });
});
