import { type AppError, csvMapping } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { dayOf, previewFile, readCsv } from './csv.ts';

const mapping = (fields: object = {}) => csvMapping.parse({ date: 'date', model: 'model', ...fields });
const refusal = (text: string, fields?: object): Promise<unknown> =>
  readCsv(text, mapping(fields)).then(
    () => 'read',
    (error: AppError) => [error.code, error.values],
  );
const nov19 = Date.UTC(2026, 10, 19) / 1_000;

describe('a file of usage', () => {
  it('is read by the names of its columns, in any order and spelling', async () => {
    const text =
      '\uFEFFmodel,"cost, in cents",date,n\n"a ""b""",12.5,2026-11-19T23:30:00-02:00,3\nc,,2026-11-19,4.0\n\n,,,\n';
    expect(
      await readCsv(text, mapping({ cost: 'cost, in cents', cost_unit: 'cents', requests: 'n' })),
    ).toEqual([
      { day: nov19 + 86_400, model: 'a "b"', calls: 3, cost: 125_000_000_000n },
      { day: nov19, model: 'c', calls: 4, cost: 0n },
    ]);
  });

  it('may have no header row: columns are then counted from 1', async () => {
    const fields = { header: false, delimiter: '\t', date: '2', model: '1', input: '3', date_format: 'mdy' };
    expect(await readCsv('x\t11/19/2026\t7', mapping(fields))).toEqual([
      { day: nov19, model: 'x', input: 7 },
    ]);
  });

  it('is refused with the row and the column of the error', async () => {
    expect(await refusal('date,model,n\n2026-11-19,x,1\n2026-13-01,x,1\n')).toEqual([
      'report_csv',
      { reason: '#3 “date”: 2026-13-01' },
    ]);
    expect(await refusal('date,model,n\n2026-11-19,x,-1\n', { input: 'n' })).toEqual([
      'report_csv',
      { reason: '#2 “n”: -1' },
    ]);
    expect(await refusal('date,model\n2026-11-19,x\n', { cost: 'price' })).toEqual([
      'report_csv',
      { reason: 'there is no column “price”' },
    ]);
    expect(await refusal('date,model\n"2026-11-19,x\n')).toMatchObject(['report_csv', {}]);
    expect(await refusal('date,model\n')).toEqual(['report_csv', { reason: 'it has no row of usage' }]);
  });

  it('shows its first rows, also where the preview ends within one', async () => {
    const rows = Array.from({ length: 20 }, (_, row) => `${row},x`).join('\n');
    const preview = await previewFile(`a,b\n${rows}\n"cut`, { delimiter: ',', header: true });
    expect(preview).toMatchObject({ columns: ['a', 'b'], problem: '' });
    expect(preview.rows).toHaveLength(8);
    expect(await previewFile('7,8\n', { delimiter: ',', header: false })).toEqual({
      columns: ['1', '2'],
      rows: [['7', '8']],
      problem: '',
    });
    expect((await previewFile('"x', { delimiter: ',', header: true })).problem).not.toBe('');
  });
});

describe('days of a file', () => {
  it.each([
    ['2026-11-19', 'ymd'],
    ['2026-11-19 23:59:59', 'ymd'],
    ['2026/11/19', 'ymd'],
    ['2026-11-20T01:00:00+02:00', 'ymd'],
    ['19.11.2026', 'dmy'],
    ['11/19/2026', 'mdy'],
    [String(nov19 + 5), 'unix'],
    [String((nov19 + 5) * 1_000), 'unix'],
  ] as const)('%s as %s', (text, format) => {
    expect(dayOf(text, format)).toBe(nov19);
  });

  it.each([
    ['2026-02-30', 'ymd'],
    ['19.11.2026', 'mdy'],
    ['yesterday', 'ymd'],
    ['2026-11-19', 'unix'],
    ['', 'ymd'],
  ] as const)('%s is not a day as %s', (text, format) => {
    expect(dayOf(text, format)).toBeUndefined();
  });
});
