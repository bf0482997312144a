import { Readable } from 'node:stream';
import { AppError, type CsvMapping } from '@tollgate/contract';
import { picoDollars, type VendorLine } from './vendors/index.ts';

const daySeconds = 86_400;
const offset = /(?:Z|[+-]\d{2}:?\d{2})$/;

/** The start of the day (UTC) in a cell, in Unix seconds; undefined without a date. */
export function dayOf(text: string, format: CsvMapping['date_format']): number | undefined {
  if (format === 'unix') return unixDay(text);
  const parts = /^(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})(?:[T ].*)?$/.exec(text);
  if (!parts) return undefined;
  // A time with a zone belongs to its day in UTC.
  if (format === 'ymd' && /[T ].*:/.test(text) && offset.test(text)) return momentDay(text);
  const [first = 0, second = 0, third = 0] = parts.slice(1).map(Number);
  if (format === 'ymd') return startOf(first, second, third);
  return format === 'dmy' ? startOf(third, second, first) : startOf(third, first, second);
}

function unixDay(text: string): number | undefined {
  const number = /^\d{1,13}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  // Larger numbers are milliseconds.
  const seconds = number > 100_000_000_000 ? number / 1_000 : number;
  return Number.isNaN(seconds) ? undefined : Math.floor(seconds / daySeconds) * daySeconds;
}

function momentDay(text: string): number | undefined {
  const at = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(at) ? undefined : Math.floor(at / 1_000 / daySeconds) * daySeconds;
}

function startOf(year: number, month: number, day: number): number | undefined {
  const at = new Date(Date.UTC(year, month - 1, day));
  const isReal = at.getUTCMonth() === month - 1 && at.getUTCDate() === day && year >= 1970 && year < 3000;
  return isReal ? at.getTime() / 1_000 : undefined;
}

/** Maximum number of rows of a file. */
const maxRows = 200_000;
const maxRowChars = 100_000;
const previewRows = 8;

type Form = Pick<CsvMapping, 'delimiter' | 'header'>;

async function* recordsOf(text: string, { delimiter }: Form, most = -1): AsyncGenerator<string[]> {
  // Loaded with the first file: most processes never read one.
  const { parse } = await import('csv-parse');
  const parser = parse({
    delimiter,
    bom: true,
    // Vendors' files end with remarks, or omit cells at the end of a row.
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    max_record_size: maxRowChars,
    to: most,
  });
  yield* Readable.from([text]).pipe(parser) as AsyncIterable<string[]>;
}

const namesOf = (record: readonly string[], header: boolean): string[] =>
  record.map((name, index) => (header ? name : String(index + 1)));

/** The columns and the first rows of the start of a file; an incomplete last row is not an error. */
export async function previewFile(
  text: string,
  form: Form,
): Promise<{ columns: string[]; rows: string[][]; problem: string }> {
  const found: string[][] = [];
  let problem = '';
  try {
    for await (const record of recordsOf(text, form, previewRows + 1)) found.push(record);
  } catch (error) {
    if (found.length === 0) problem = String(error).slice(0, 200);
  }
  const columns = namesOf(found[0] ?? [], form.header);
  return { columns, rows: found.slice(form.header ? 1 : 0, previewRows + 1), problem };
}

/** Reads the whole of a file. Throws AppError report_csv. */
export async function readCsv(text: string, mapping: CsvMapping): Promise<VendorLine[]> {
  const lines: VendorLine[] = [];
  let read: ((record: readonly string[], row: number) => VendorLine) | undefined;
  let row = 0;
  try {
    for await (const record of recordsOf(text, mapping)) {
      row += 1;
      if (row > maxRows) throw new AppError('report_csv', { reason: `more than ${maxRows} rows` });
      if (!read) {
        read = reader(mapping, namesOf(record, mapping.header));
        if (mapping.header) continue;
      }
      if (record.some((cell) => cell !== '')) lines.push(read(record, row));
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('report_csv', { reason: String(error).slice(0, 200) });
  }
  if (lines.length === 0) throw new AppError('report_csv', { reason: 'it has no row of usage' });
  return lines;
}

const counts = { calls: 'requests', input: 'input', cached: 'cached', output: 'output' } as const;

function reader(mapping: CsvMapping, columns: readonly string[]) {
  const findPlace = (name: string): number => {
    const place = columns.indexOf(name);
    if (place < 0) throw new AppError('report_csv', { reason: `there is no column “${name}”` });
    return place;
  };
  const places = Object.fromEntries(
    ['date', 'model', 'cost', ...Object.values(counts)]
      .map((field) => [field, mapping[field as 'date']] as const)
      .filter(([, name]) => name !== '')
      .map(([field, name]) => [field, findPlace(name)]),
  );
  return (record: readonly string[], row: number): VendorLine => {
    const cell = (field: string): string => record[places[field] ?? -1] ?? '';
    const bad = (field: string): AppError =>
      new AppError('report_csv', {
        // A position and its content, the same in every language.
        reason: `#${row} “${mapping[field as 'date']}”: ${cell(field).slice(0, 60)}`,
      });
    const day = dayOf(cell('date'), mapping.date_format);
    if (day === undefined) throw bad('date');
    const line: VendorLine = { day, model: cell('model').slice(0, 255) };
    for (const [figure, field] of Object.entries(counts)) {
      if (places[field] === undefined) continue;
      const count = countIn(cell(field));
      if (count === undefined) throw bad(field);
      line[figure as keyof typeof counts] = count;
    }
    if (places['cost'] === undefined) return line;
    const cost = picoDollars(plain(cell('cost')) || '0', mapping.cost_unit === 'cents');
    if (cost === undefined) throw bad('cost');
    return { ...line, cost };
  };
}

/** Removes the currency and thousands signs of files: `$1,234.50`. */
const plain = (text: string): string => text.replace(/^(-?)\s*\$/, '$1').replaceAll(/,(?=\d{3}(\D|$))/g, '');

/** A count, also with thousands separators or an empty fraction; undefined for an empty cell. */
function countIn(text: string): number | undefined {
  const digits = plain(text).replace(/\.0*$/, '');
  if (digits === '') return 0;
  const count = /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
  return count;
}
