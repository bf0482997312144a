import { isObject, parseObject } from '../../lib/json.ts';
import { looksSealed, type Sealer } from '../../lib/seal.ts';
import { type Db, type SealedRow, sealedTexts } from '../../store/index.ts';
import { sealedColumns, type SealedTexts } from './sealed-columns.ts';

export interface RotateDeps {
  db: Db;
  /** Opens what either key sealed, and seals with the new one. */
  either: Sealer;
  /** Knows the new key alone. */
  current: Sealer;
}

/** A text that stays sealed with another key, by its row. */
export interface Unopened {
  column: string;
  row: string | number;
}

const pageSize = 200;

/** Gives every row of a column to `work`, a part at a time. */
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

/** The sealed text of a row; undefined where it has none. */
function textIn({ column, member }: SealedTexts, row: SealedRow): string | undefined {
  const stored = String(row[column]);
  const text = member === undefined ? stored : parseObject(stored)?.[member];
  return typeof text === 'string' && looksSealed(text) ? text : undefined;
}

/** The column of a row with another sealed text in it. */
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
 * Seals anew with the current key what a former one sealed, row by row, each only while it still has its former text.
 * It may be killed between any two rows: while both keys are given everything stays readable, and the next run goes on.
 * Answers how many were sealed anew. A text that neither key opens stays as it is, and `unopened` names it.
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

/** Every sealed text that a key does not open. Empty when the former key may go. */
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
