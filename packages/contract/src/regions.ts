// Without schemas: the console checks regions as they are typed, and would load the library of schemas with them.

/** The mark of a channel's region: a short name in small letters, such as `eu`. */
export const isRegion = (text: string): boolean => /^[a-z0-9][a-z0-9-]{0,31}$/.test(text);

/** The names of a comma list of regions, in small letters and without repetitions. */
export const regionsIn = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  ),
];
