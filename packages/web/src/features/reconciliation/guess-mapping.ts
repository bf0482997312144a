import type { CsvMapping } from '@tollgate/contract';

const delimiters = [',', ';', '\t', '|'] as const;

/** The delimiter that splits the first line into the most cells; a comma if none does. Quoted delimiters do not count. */
export function guessDelimiter(text: string): CsvMapping['delimiter'] {
  const line = (/^[^\r\n]*/.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '');
  const count = (mark: string) => line.split(mark).length;
  return delimiters.reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

type Field = 'date' | 'model' | 'requests' | 'cached' | 'input' | 'output' | 'cost';

/** Vendors' column names, the most specific first. A column is used once, so cached input comes before input. */
const namings: readonly (readonly [Field, readonly RegExp[]])[] = [
  ['date', [/^(usage[ _])?(date|day|日期)/i, /date|日期/i, /^(start|time|bucket)/i]],
  ['model', [/^models?([ _](id|name))?$/i, /model|模型/i]],
  ['cached', [/cache.*read|cached|缓存/i]],
  ['input', [/^(?!.*cache).*(input|prompt|输入)/i]],
  ['output', [/output|completion|输出/i]],
  ['requests', [/request|请求/i, /^calls?$/i]],
  ['cost', [/cost|amount|spend|费用|金额/i]],
];

/** Maps each field to the column that has one of its vendor names. */
export function guessColumns(columns: readonly string[]): Partial<Record<Field, string>> {
  const left = new Set(columns.filter((column) => column.trim() !== ''));
  const found: Partial<Record<Field, string>> = {};
  for (const [field, names] of namings) {
    const column = names.flatMap((name) => [...left].filter((each) => name.test(each.trim())))[0];
    if (column === undefined) continue;
    found[field] = column;
    left.delete(column);
  }
  return found;
}

const fields = namings.map(([field]) => field);

/**
 * The default mapping of a file: the earlier one of its channels if the columns are the same, otherwise by column names.
 */
export function mappingOf(
  columns: readonly string[],
  remembered: CsvMapping,
  chosen: Partial<CsvMapping>,
): CsvMapping {
  const base = { ...remembered, ...chosen };
  const guessed: Partial<Record<Field, string>> = base.header ? guessColumns(columns) : {};
  const taken = fields.map((field) => {
    const isKept = chosen[field] !== undefined || columns.includes(base[field]);
    return [field, isKept ? base[field] : (guessed[field] ?? '')];
  });
  return { ...base, ...Object.fromEntries(taken) };
}
