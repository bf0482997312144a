import { usageFigures } from '@tollgate/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareLines, type OurLine } from './compare.ts';
import { gather, type ReportLine } from './lines.ts';
import { picoDollars, quotaOfPico } from './vendors/index.ts';

const day = 86_400;
const options = { tolerance: 0, askedAt: 10 * day, channelName: String };
const names = fc.constantFrom(
  'gpt-4o',
  'gpt-4o-2024-08-06',
  'GPT-4o-2024-11-20',
  'claude-x-latest',
  'claude-x-20250101',
  '',
);
const count = fc.nat(1e9);
const maybe = fc.option(count);

const ourLines = fc.array(
  fc.record({
    day: fc.constantFrom(0, day, 2 * day),
    channel: fc.nat(2),
    model: names,
    upstream: names,
    calls: fc.integer({ min: 1, max: 1_000 }),
    input: count,
    cached: count,
    output: count,
    cost: count,
    unknown_calls: fc.constantFrom(0, 1),
  }),
);
const theirLines = fc.array(
  fc.record({
    day: fc.constantFrom(0, day, 2 * day),
    model: names,
    calls: maybe,
    input: maybe,
    cached: maybe,
    output: maybe,
    cost: maybe,
  }),
);

describe('a comparison', () => {
  it('has all of both sides, once: its rows add up to them, whatever the names', () => {
    fc.assert(
      fc.property(ourLines, theirLines, (ours, theirs) => {
        const compared = compareLines(ours, theirs, options);
        for (const figure of usageFigures) {
          const sum = (side: 'ours' | 'theirs') =>
            compared.rows.reduce((all, row) => all + (row[side]?.[figure] ?? 0), 0);
          expect(sum('ours')).toBe(ours.reduce((all, line) => all + line[figure], 0));
          expect(sum('theirs')).toBe(theirs.reduce((all, line) => all + (line[figure] ?? 0), 0));
          expect(sum('ours')).toBe(compared.ours[figure]);
          expect(sum('theirs')).toBe(compared.theirs[figure] ?? 0);
        }
        const parts = compared.rows.flatMap((row) => row.parts);
        expect(parts).toHaveLength(ours.length);
        const keys = compared.rows.map((row) => `${row.day} ${row.model}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  it('of a side with itself finds no difference', () => {
    fc.assert(
      fc.property(ourLines, (ours) => {
        const theirs = ours.map(({ upstream, ...line }): ReportLine => ({ ...line, model: upstream }));
        const known = ours.map((line) => ({ ...line, unknown_calls: 0 }));
        const { rows, differences } = compareLines(known, theirs, options);
        expect(differences).toBe(0);
        expect(rows.every(({ state }) => state === 'equal')).toBe(true);
      }),
    );
  });

  const our = (fields: Partial<OurLine> = {}): OurLine => ({
    day: 0,
    channel: 1,
    model: 'gpt-4o',
    upstream: 'gpt-4o',
    calls: 10,
    input: 1_000,
    cached: 0,
    output: 100,
    cost: 5_000,
    unknown_calls: 0,
    ...fields,
  });
  const their = (fields: Partial<ReportLine> = {}): ReportLine => ({
    day: 0,
    model: 'gpt-4o',
    calls: 10,
    input: 1_000,
    cached: 0,
    output: 100,
    cost: 5_000,
    ...fields,
  });
  const stateOf = (ours: OurLine[], theirs: ReportLine[], tolerance = 0) =>
    compareLines(ours, theirs, { ...options, tolerance }).rows.map(({ state }) => state);

  it.each([
    ['what agrees', our(), their(), 0, 'equal'],
    ['a token more', our({ input: 1_001 }), their(), 0, 'differs'],
    ['a difference within the tolerance', our({ input: 1_001 }), their(), 0.5, 'equal'],
    ['one beyond it', our({ input: 1_006 }), their(), 0.5, 'differs'],
    ['what each call may be rounded by', our({ cost: 5_010 }), their(), 0, 'equal'],
    ['more than that', our({ cost: 5_011 }), their(), 0, 'differs'],
    ['what the vendor does not tell', our({ cached: 7 }), their({ cached: null, calls: null }), 0, 'equal'],
    ['a cost that we do not know', our({ cost: 1, unknown_calls: 3 }), their(), 0, 'open'],
    [
      'a cost that we do not know, and tokens that differ',
      our({ unknown_calls: 3, output: 1 }),
      their(),
      0,
      'differs',
    ],
  ])('tells of %s', (_name, ours, theirs, tolerance, state) => {
    expect(stateOf([ours], [theirs], tolerance)).toEqual([state]);
  });

  it('tells what one side alone has', () => {
    expect(stateOf([our()], [])).toEqual(['only_ours']);
    expect(stateOf([], [their()])).toEqual(['only_theirs']);
  });

  it('keeps states of a model apart where both sides know them by the same names', () => {
    const states = ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06'];
    const { rows } = compareLines(
      states.map((upstream) => our({ upstream })),
      states.map((model) => their({ model })),
      options,
    );
    expect(rows.map(({ model }) => model)).toEqual(states);
    expect(
      compareLines(
        [our()],
        states.map((model) => their({ model })),
        options,
      ).rows,
    ).toMatchObject([{ model: 'gpt-4o', names: ['gpt-4o', ...states], theirs: { input: 2_000 } }]);
  });
});

describe('amounts', () => {
  it.each([
    ['0.06', 30_000],
    [0.000001, 1],
    [1e-7, 0],
    ['3.5E-5', 18],
    ['0E-6176', 0],
    ['0.003627500000000000000000000000000000', 1_814],
    ['1850.00', 925_000_000],
    ['-0.5', -250_000],
  ])('%s dollars are %s quota units', (dollars, quota) => {
    expect(quotaOfPico(picoDollars(dollars)!, 500_000)).toBe(quota);
  });

  it.each(['', 'x', null, {}, '1e5', '1e', 'e-5', Number.NaN, 1e21])('%s is none', (value) => {
    expect(picoDollars(value)).toBeUndefined();
  });

  it('are rounded once, after they are summed', () => {
    const parts = Array.from({ length: 10 }, () => ({ day: 0, model: 'x', cost: picoDollars('0.0000005')! }));
    expect(gather(parts, 500_000)).toMatchObject([{ cost: 3, calls: null }]);
  });
});
