import { isObject, parseObject } from '../../../lib/json.ts';
import { looksSealed, type Sealer } from '../../../lib/seal.ts';
import { type Db, type SealedRow, sealedTexts } from '../../../store/index.ts';
import { sealedColumns, type SealedTexts } from './sealed-columns.ts';

export interface RotateDeps {
  db: Db;
  /** Decrypts with either key, and encrypts with the new one. */
  either: Sealer;
  /** Has only the new key. */
  current: Sealer;
}

/** A text that is still encrypted with another key, by its row. */
export interface Unopened {
  column: string;
  row: string | number;
}

const pageSize = 200;

/** Calls `work` for every row of a column, in batches. */
async function eachRow(db: Db, column: SealedTexts, work: (row: SealedRow) => Promise<void>): Promise<void> {
  let after: string | number | undefined;
  for (;;) {
    const rows = await sealedTexts.page(db, column, { after, limit: pageSize });
    for (const row of rows) await work(row);
    const last = rows.at(-1);
    if (!last) return;
    after = last[column.key];
  }
}

/** The encrypted text of a row; undefined if it has none. */
function textIn({ column, member }: SealedTexts, row: SealedRow): string | undefined {
  const stored = String(row[column]);
  const text = member === undefined ? stored : parseObject(stored)?.[member];
  return typeof text === 'string' && looksSealed(text) ? text : undefined;
}

/** The column of a row with its encrypted text replaced. */
function withText({ column, member }: SealedTexts, row: SealedRow, sealed: string): string {
  if (member === undefined) return sealed;
  const stored = parseObject(String(row[column]));
  return JSON.stringify({ ...(isObject(stored) ? stored : {}), [member]: sealed });
}

const opens = (sealer: Sealer, text: string, place: Parameters<Sealer['open']>[1]): boolean => {
  try {
    sealer.open(text, place);
    return true;
  } catch {
    return false;
  }
};

/**
 * Encrypts with the current key all texts encrypted with a former one, row by row, each only if its text has not
 * changed. It may be killed between any two rows: while both keys are given everything can be decrypted, and the next
 * run continues. Returns the number of texts encrypted again. A text that neither key decrypts stays unchanged, and
 * `unopened` lists it.
 */
export async function rotateSeals({ db, either, current }: RotateDeps): Promise<number> {
  let renewed = 0;
  for (const column of sealedColumns)
    await eachRow(db, column, async (row) => {
      const place = column.place(row);
      const text = textIn(column, row);
      if (!place || text === undefined || opens(current, text, place) || !opens(either, text, place)) return;
      const sealed = either.seal(either.open(text, place), place);
      if (await sealedTexts.replace(db, column, row, withText(column, row, sealed))) renewed += 1;
    });
  return renewed;
}

/** Every text that a key cannot decrypt. Empty when the former key may be removed. */
export async function unopened(db: Db, sealer: Sealer): Promise<Unopened[]> {
  const found: Unopened[] = [];
  for (const column of sealedColumns)
    await eachRow(db, column, async (row) => {
      const place = column.place(row);
      const text = textIn(column, row);
      if (!place || text === undefined || opens(sealer, text, place)) return;
      found.push({ column: place.column, row: row[column.key] ?? '' });
    });
  return found;
}
