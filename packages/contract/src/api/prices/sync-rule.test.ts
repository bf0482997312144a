import { expect, it } from 'vitest';
import { type PriceOffer, type SyncRow, selectedBy, type SyncRule } from './price-sync.ts';

const offer = (some: Partial<PriceOffer> = {}): PriceOffer => ({
  sources: ['models_dev', 'litellm'],
  dollars: { input: 1 },
  set: { ModelRatio: 0.5 },
  dearer: null,
  needs_own: false,
  ...some,
});
const row = (model: string, some: Partial<SyncRow> = {}): SyncRow => ({
  model,
  vendor: 'openai',
  served: true,
  state: 'new',
  today: null,
  seen: {},
  offers: [offer()],
  decided: true,
  ...some,
});
const rule: SyncRule = { only: 'all', vendor: '', sources: 2, maxDearer: 10 };
const change = (model: string, dearer: number) =>
  row(model, { state: 'change', offers: [offer({ dearer })] });

it('a rule accepts what two lists have, of one vendor, missing only, or not much dearer', () => {
  const rows = [
    row('a'),
    row('b', { vendor: 'google' }),
    change('c', 1.1),
    change('d', 1.2),
    change('e', 0.5),
  ];
  expect(selectedBy(rule, rows)).toEqual(['a', 'b', 'c', 'e']);
  expect(selectedBy({ ...rule, vendor: 'google' }, rows)).toEqual(['b']);
  expect(selectedBy({ ...rule, only: 'missing' }, rows)).toEqual(['a', 'b']);
  expect(selectedBy({ ...rule, sources: 3 }, rows)).toEqual([]);
});

it('no rule accepts jumps, lists that contradict one another, or prices that are already set', () => {
  const rows = [
    row('jump', { offers: [offer({ needs_own: true })] }),
    row('open', { decided: false }),
    row('same', { state: 'same' }),
    row('none', { offers: [] }),
  ];
  expect(selectedBy({ only: 'all', vendor: '', sources: 1, maxDearer: 1_000 }, rows)).toEqual([]);
});
