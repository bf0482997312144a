/** @module-tag deep */
import { expect, it } from 'vitest';
import { readPdfLines } from '../../testing/pdf-lines.ts';
import { type Paper, writePdf } from './pdf.ts';

const paper = (title: string): Paper => ({
  locale: 'en-US',
  title,
  lines: [],
  tables: [],
  footer: '{page}/{pages}',
  at: 0,
});

it(
  'documents wait for each other, and there is no document if too many wait',
  { timeout: 120_000 },
  async () => {
    const titles = Array.from({ length: 24 }, (_, n) => `Document ${n}`);
    const files = await Promise.all(titles.map((title) => writePdf(paper(title))));
    expect(files.map((file) => file && readPdfLines(file)[0]![0]![0])).toEqual([
      ...titles.slice(0, 21),
      undefined,
      undefined,
      undefined,
    ]);
    expect(await writePdf(paper('later'))).toBeDefined();
  },
);

it('a text that is wider or higher than a page continues on it and on the next ones', async () => {
  const columns = [
    { title: 'Name', share: 1, align: 'left' as const },
    { title: 'Amount', share: 1, align: 'right' as const },
  ];
  const name = 'x'.repeat(400);
  const rows = Array.from({ length: 12 }, () => ({ cells: [name, '$1.00'] }));
  const file = (await writePdf({ ...paper('Wide'), tables: [{ title: '', columns, rows }] }))!;
  const cells = readPdfLines(file).flat(2);
  expect(cells.filter((cell) => cell === '$1.00')).toHaveLength(12);
  expect(cells.filter((cell) => /^x+$/.test(cell)).join('')).toBe(name.repeat(12));
});
