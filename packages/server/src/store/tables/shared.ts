/** Rows per INSERT or IN list: well below the parameter limits of all three databases. */
const BATCH = 500;

export function batches<T>(items: readonly T[], size = BATCH): T[][] {
  const result: T[][] = [];
  for (let i = 0; i < items.length; i += size) result.push(items.slice(i, i + size));
  return result;
}

/** Limits of stored rows, of one owner or of all. */
export interface KeepBounds {
  rows: number;
  /** Characters of stored texts. */
  size: number;
}

/** The newest row beyond the limits: it and all older ones must go. `rows` begins with the newest. */
export function firstBeyond<Row extends { size: number }>(
  rows: readonly Row[],
  bounds: KeepBounds,
): Row | undefined {
  let kept = 0;
  return rows.find(({ size }, index) => {
    kept += size;
    return index >= bounds.rows || kept > bounds.size;
  });
}

/** Part of a list: `limit` rows after the first `offset`. */
export interface Slice {
  offset: number;
  limit: number;
}

/** Reads a keyword as an id, so that lists can be searched by number; undefined if it is not one. */
export function idOf(keyword: string): number | undefined {
  const id = /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0;
  return id > 0 ? id : undefined;
}

/** Rows found or changed, as a number. */
export const countOf = (result: { numUpdatedRows: bigint } | { numDeletedRows: bigint }): number =>
  Number('numUpdatedRows' in result ? result.numUpdatedRows : result.numDeletedRows);

/** The order of a list in the form for queries. */
export const directionOf = (sort: { descending: boolean }): 'asc' | 'desc' =>
  sort.descending ? 'desc' : 'asc';
