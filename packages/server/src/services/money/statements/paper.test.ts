import { equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { type Language, movementNames, type StatementData } from '@tollgate/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writePdf } from '../../../lib/pdf/pdf.ts';
import { readPdfLines } from '../../../testing/pdf-lines.ts';
import { type PaperFor, statementPaper } from './paper.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 200);

type Statement = Omit<StatementData, 'mailed'>;

/** A statement that adds up. */
function statementOf(given: {
  opening: number;
  movements: Statement['movements'];
  charges: number[];
  unlogged: number;
}): Statement {
  const { opening, movements, charges, unlogged } = given;
  const charged = charges.reduce((sum, each) => sum + each, 0);
  const moved = movements.reduce((sum, { amount }) => sum + amount, 0);
  return {
    holder: '研究部 Research',
    month: '2026-10',
    time_zone: 'Asia/Shanghai',
    from: 0,
    to: 0,
    months: ['2026-11', '2026-10'],
    opening,
    closing: opening + moved - charged,
    movements,
    charged,
    calls: charges.length,
    keys: charges.map((amount, index) => ({
      token_id: index,
      name: index % 3 === 1 ? `部署 key ${index}` : '',
      amount,
      count: 1,
    })),
    models:
      charged === unlogged
        ? []
        : [
            { model: 'gpt-4o', amount: charged - unlogged - 1 },
            { model: 'o3', amount: 1 },
          ],
    unlogged,
  };
}

const about = (language: Language, perUnit = 500_000): PaperFor => ({
  site: 'Gate 网关',
  perUnit,
  timeZone: 'UTC',
  language,
  now: 1_793_000_000,
});

/** Billionths of a dollar of a printed amount. */
function unitsOf(printed: string): bigint {
  const [, sign, whole = '', part = ''] = /^(-?)\$([\d,]+)\.(\d+)$/.exec(printed) ?? [];
  const units = BigInt(whole.replaceAll(',', '')) * 1_000_000_000n + BigInt(part.padEnd(9, '0'));
  return sign === '-' ? -units : units;
}

const sumOf = (printed: readonly string[]): bigint => printed.reduce((sum, each) => sum + unitsOf(each), 0n);
const amountsOf = (rows: readonly { cells: readonly string[] }[]): string[] =>
  rows.map(({ cells }) => cells.at(-1)!);

const amount = fc.oneof(fc.nat({ max: 999 }), fc.nat({ max: 9_000_000_000_000 }));
const statement = fc
  .record({
    opening: amount,
    movements: fc.uniqueArray(
      fc.record({
        kind: fc.constantFrom(...Object.keys(movementNames).filter((kind) => kind !== 'usage'), 'new'),
        amount: fc.tuple(amount, fc.boolean()).map(([size, isCredit]) => (isCredit ? size : 0 - size)),
        count: fc.nat(),
      }),
      { selector: ({ kind }) => kind },
    ),
    charges: fc.array(amount, { maxLength: 12 }),
    unlogged: fc.nat({ max: 500 }),
  })
  .map(statementOf);

it('prints amounts whose sums are the closing balance and the charges, in both languages and also cut short', () => {
  const property = fc.property(
    statement,
    fc.constantFrom<Language>('en', 'zh'),
    fc.constantFrom(500_000, 1_000_000, 250),
    fc.integer({ min: 4, max: 20 }),
    (given, language, perUnit, most) => {
      const { tables } = statementPaper(given, about(language, perUnit), most);
      const [account, ...charges] = tables.map(({ rows }) => amountsOf(rows));
      const closing = account!.pop()!;
      equal(sumOf(account!), unitsOf(closing));
      equal(unitsOf(closing), BigInt(given.closing) * BigInt(1_000_000_000 / perUnit));
      for (const lines of charges) {
        equal(lines.length <= most, true);
        const total = lines.pop()!;
        equal(sumOf(lines), unitsOf(total));
        equal(unitsOf(total), BigInt(given.charged) * BigInt(1_000_000_000 / perUnit));
      }
    },
  );
  expect(() => fc.assert(property, { numRuns: runs })).not.toThrow();
});

const long = statementOf({
  opening: 500_000,
  movements: [
    { kind: 'topup', amount: 500_000, count: 1 },
    { kind: 'expire', amount: -1, count: 1 },
  ],
  charges: Array.from({ length: 90 }, (_, index) => 90 - index),
  unlogged: 7,
});

it.each([
  ['en', 'Statement 2026-10', ['Key', 'Entries', 'Amount'], /^Page (\d) of 4$/],
  ['zh', '账单 2026-10', ['令牌', '笔数', '金额'], /^第 (\d) 页，共 4 页$/],
] as const)(
  'can be read back from the file in %s, on numbered pages that each begin with the heads of their columns',
  async (language, title, head, footer) => {
    const paper = statementPaper(long, about(language));
    const pages = readPdfLines((await writePdf(paper))!);
    expect(pages).toHaveLength(4);
    expect(pages.map((page) => footer.exec(page.at(-1)![0]!)?.[1])).toEqual(['1', '2', '3', '4']);
    expect(pages[0]![0]).toEqual([title]);
    expect(pages.slice(1, 3).map(([first]) => first)).toEqual([head, head]);
    const lines = pages.flatMap((page) => page.slice(0, -1));
    const printed = paper.tables.flatMap(({ rows }) =>
      rows.map(({ cells }) => cells.filter((cell) => cell !== '')),
    );
    expect(lines.filter((line) => /^-?\$/.test(line.at(-1)!))).toEqual(printed);
  },
);

const { status: reader } = spawnSync('pdftotext', ['-v']);

it.skipIf(reader !== 0)('can be read by pdftotext (needs poppler-utils)', async () => {
  for (const language of ['en', 'zh'] as const) {
    const paper = statementPaper(long, about(language));
    const file = await writePdf(paper);
    const { stdout } = spawnSync('pdftotext', ['-layout', '-enc', 'UTF-8', '-', '-'], { input: file });
    const lines = stdout
      .toString()
      .split(/[\n\f]/)
      .filter((line) => /\$[\d.,]+$/.test(line))
      .map((line) => line.trim().split(/ {2,}/));
    const printed = paper.tables.flatMap(({ rows }) =>
      rows.map(({ cells }) => cells.filter((cell) => cell !== '')),
    );
    expect(lines).toEqual(printed);
  }
});
