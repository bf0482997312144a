import { z } from 'zod';

/** How a list is ordered. */
export interface Sort<Column extends string = string> {
  by: Column;
  descending: boolean;
}

/**
 * The query field that orders a list by one of the columns named here: `name`, or `-name` for the other direction.
 * Absent or empty keeps the list's own order; any other name is refused.
 */
export const sortField = <const Columns extends readonly [string, ...string[]]>(columns: Columns) =>
  z
    .string()
    .max(64)
    .default('')
    .transform((text, context): Sort<Columns[number]> | undefined => {
      if (text === '') return undefined;
      const descending = text.startsWith('-');
      const by = columns.find((column) => column === (descending ? text.slice(1) : text));
      if (by !== undefined) return { by, descending };
      context.addIssue({ code: 'custom', message: `one of ${columns.join(', ')}` });
      return z.NEVER;
    });
