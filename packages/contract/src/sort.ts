import { z } from 'zod';

/** Order of a list. */
export interface Sort<Column extends string = string> {
  by: Column;
  descending: boolean;
}

/**
 * Query field for the order of a list: a column's `name`, or `-name` for descending order. An absent or empty field
 * keeps the list's default order. Other names are refused.
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
