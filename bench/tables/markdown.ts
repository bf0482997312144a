type Row = readonly string[];

/** Lines of a Markdown table, padded so that they can be read in a terminal too. */
export function table(head: Row, rows: readonly Row[]): string {
  const widths = head.map((cell, index) =>
    Math.max(cell.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (row: Row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join(
    '\n',
  );
}

export const round = (value: number, digits = 1): string => value.toFixed(digits);
export const verdict = (value: number, aim: number): string => (value <= aim ? 'yes' : 'no');
