import type { ReceiptData } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { billLines, showMicros } from './bill-lines.ts';

const receipt = (amounts: string[], charged: number, writtenOff = 0) =>
  ({
    bill: {
      terms: amounts.map((amount) => ({ what: 'input', count: 1, unit: amount, amount })),
      minimum: 1,
      computed: charged + writtenOff,
    },
    charged,
    adjustments: [],
    charged_in_all: charged,
    ledger: { written_off: writtenOff },
  }) as unknown as ReceiptData;

const shown = (data: ReceiptData) => {
  const { amounts, rounding, total } = billLines(data, 500_000);
  const sum = amounts.reduce((all, amount) => all + amount, rounding);
  return {
    lines: amounts.map(showMicros),
    rounding: showMicros(rounding),
    total: showMicros(total),
    sum,
    raw: total,
  };
};

describe('the lines of a receipt as they are printed', () => {
  test('add up to the total with the line of rounding', () => {
    // 0.000204 + 0.000051 + 0.000232 = 0.000487, and charged are 243 units = 0.000486.
    const { lines, rounding, total, sum, raw } = shown(receipt(['101.85', '25.3', '115.8'], 243));
    expect(lines).toEqual(['$0.000204', '$0.000051', '$0.000232']);
    expect([rounding, total]).toEqual(['-$0.000001', '$0.000486']);
    expect(sum).toBe(raw);
  });

  test('need no such line where they are whole units', () => {
    expect(billLines(receipt(['10', '20'], 30), 500_000).rounding).toBe(0);
  });

  test('show the minimum charge as rounding, and add up with what was not collected', () => {
    expect(shown(receipt(['0.3'], 1))).toMatchObject({
      lines: ['$0.000001'],
      rounding: '$0.000001',
      total: '$0.000002',
    });
    expect(billLines(receipt(['100'], 60, 40), 500_000)).toEqual({
      amounts: [200],
      rounding: 0,
      total: 200,
      writtenOff: 80,
      corrections: [],
      inAll: 120,
      cacheSaved: 0,
    });
  });

  test('say what cached input saved beside plain input, less what writing the cache cost more', () => {
    const used = (terms: [what: string, count: number, unit: string][]) => {
      const data = receipt(['0'], 0);
      const bill = {
        ...data.bill,
        terms: terms.map(([what, count, unit]) => ({ what, count, unit, amount: '0' })),
      };
      return billLines({ ...data, bill } as ReceiptData, 500_000).cacheSaved;
    };
    expect(
      used([
        ['input', 10, '2'],
        ['cacheRead', 1_000, '0.2'],
        ['output', 5, '8'],
      ]),
    ).toBe(3_600);
    expect(
      used([
        ['input', 10, '2'],
        ['cacheRead', 1_000, '0.2'],
        ['cacheWrite5m', 100, '2.5'],
      ]),
    ).toBe(3_500);
    expect(
      used([
        ['input', 10, '2'],
        ['cacheWrite1h', 100, '4'],
      ]),
    ).toBe(0);
    expect(used([['cacheRead', 1_000, '0.2']])).toBe(0);
  });

  test('add up for any amounts', () => {
    for (let seed = 1; seed < 400; seed += 1) {
      const amounts = Array.from({ length: (seed % 5) + 1 }, (_, index) =>
        String(((seed * 7919 * (index + 3)) % 100_003) / 997),
      );
      const charged = Math.round(amounts.reduce((sum, amount) => sum + Number(amount), 0));
      const { sum, raw } = shown(receipt(amounts, charged));
      expect(sum).toBe(raw);
    }
  });

  test('of a row without lines have no rounding', () => {
    expect(billLines(receipt([], 30), 500_000)).toMatchObject({ amounts: [], rounding: 0, total: 60 });
  });
});
