import type { CsvMapping } from '@tollgate/contract';

const daySeconds = 86_400;
const offset = /(?:Z|[+-]\d{2}:?\d{2})$/;

/** The start of the day (UTC) that a cell names, in Unix seconds; undefined where it names none. */
export function dayOf(text: string, format: CsvMapping['date_format']): number | undefined {
  if (format === 'unix') return unixDay(text);
  const parts = /^(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})(?:[T ].*)?$/.exec(text);
  if (!parts) return undefined;
  // A moment with its own zone lies on the day that it has in UTC.
  if (format === 'ymd' && /[T ].*:/.test(text) && offset.test(text)) return momentDay(text);
  const [first = 0, second = 0, third = 0] = parts.slice(1).map(Number);
  if (format === 'ymd') return startOf(first, second, third);
  return format === 'dmy' ? startOf(third, second, first) : startOf(third, first, second);
}

function unixDay(text: string): number | undefined {
  const number = /^\d{1,13}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  // What is that large counts milliseconds.
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
