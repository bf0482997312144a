import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

const mark = '\uFEFF';

test('quotes, commas and line ends survive', () => {
  expect(toCsv([['a "b"', 'c,d', 'e\nf']])).toBe(`${mark}"a ""b""","c,d","e\nf"\r\n`);
});

test('a cell that a spreadsheet would run as a formula stays text', () => {
  expect(toCsv([['=HYPERLINK("x")', '+1', '-1+1', '@x', -1, '-1.50']])).toBe(
    `${mark}"'=HYPERLINK(""x"")",'+1,'-1+1,'@x,-1,-1.50\r\n`,
  );
  for (const start of ['=', '+', '-', '@', '＝', '＋', '－', '＠'])
    for (const before of ['', ' ', '\u3000', '\t', '\r', '\n', ' \n '])
      expect(toCsv([[`${before}${start}1+1`]])).toMatch(/^\uFEFF"?'/);
  expect(toCsv([['a=1', '1-2', 'a@b.c', '']])).toBe(`${mark}a=1,1-2,a@b.c,\r\n`);
});
