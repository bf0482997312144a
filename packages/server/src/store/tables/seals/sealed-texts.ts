import type { Db } from '../../dialects/types.ts';
import type { Database } from '../../schema/index.ts';
import { countOf } from '../shared.ts';

/** A column with sealed texts. */
export interface SealedColumn {
  table: keyof Database;
  /** The unique column for iterating over rows. */
  key: string;
  column: string;
  /** Further parts of the seal place of its texts. */
  needs: readonly string[];
}

export type SealedRow = Readonly<Record<string, string | number>>;

// The names are from a list in code, and every table has them: a column with any of them is a text or a number.
const anyTable = (table: SealedColumn['table']) => table as 'users';
const anyColumn = (column: string) => column as 'username';

/** The next rows with a non-empty column, in the order of their keys. */
export async function page(
  db: Db,
  { table, key, column, needs }: SealedColumn,
  { after, limit }: { after: string | number | undefined; limit: number },
): Promise<SealedRow[]> {
  const rows = db
    .selectFrom(anyTable(table))
    .select([...new Set([key, column, ...needs])].map(anyColumn))
    .where(anyColumn(column), '<>', '')
    .orderBy(anyColumn(key))
    .limit(limit);
  const next = after === undefined ? rows : rows.where(anyColumn(key), '>', after as string);
  return next.execute();
}

/** Writes a column if it still has its former text; false if it was changed meanwhile. */
export async function replace(
  db: Db,
  { table, key, column }: SealedColumn,
  row: SealedRow,
  text: string,
): Promise<boolean> {
  const result = await db
    .updateTable(anyTable(table))
    .set({ [column]: text })
    .where(anyColumn(key), '=', row[key] as string)
    .where(anyColumn(column), '=', row[column] as string)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}
