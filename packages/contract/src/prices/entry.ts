/** An entry of a table of ratios; undefined where there is none, also for names that every object has. */
export const entryOf = (table: Readonly<Record<string, number>>, name: string): number | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
