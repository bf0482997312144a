import { expect, it } from 'vitest';
import type { PricedRow } from '../../../store/index.ts';
import { count, noTotals } from './totals.ts';

const row = (fields: Partial<PricedRow>): PricedRow =>
  ({ user_id: 1, team_id: 0, token_id: 5, model_name: 'm', cost: null, quota: 1, ...fields }) as PricedRow;
const dearer = { before: 10, after: 12 } as Parameters<typeof count>[2];

it('calls in the playground share no key: each user is separate', () => {
  const totals = noTotals();
  for (const user_id of [1, 2, 2]) count(totals, row({ user_id, token_id: 0 }), dearer);
  count(totals, row({}), dearer);
  const keys = [...totals.keys.values()].map(({ userId, rows }) => [userId, rows]);
  expect(keys.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
    [1, 1],
    [1, 1],
    [2, 2],
  ]);
});
