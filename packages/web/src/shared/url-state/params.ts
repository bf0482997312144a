/** Text format of a value in the address. `write` returns undefined for the default, which is left out. */
export interface Param<T> {
  read: (text: string | undefined) => T;
  write: (value: unknown) => string | undefined;
}

/** Any text; empty by default. */
export const textParam = (fallback = ''): Param<string> => ({
  read: (text) => text ?? fallback,
  write: (value) => (value === fallback ? undefined : String(value)),
});

/** A whole number within bounds; other texts are the default. */
export const numberParam = (fallback: number, min = 0, max = Number.MAX_SAFE_INTEGER): Param<number> => ({
  read: (text) => {
    const value = text === undefined || text === '' ? Number.NaN : Number(text);
    return Number.isInteger(value) && value >= min && value <= max ? value : fallback;
  },
  write: (value) => (value === fallback ? undefined : String(value)),
});

/** The page of a list, from 1. */
export const pageParam = numberParam(1, 1, 1_000_000);

/** One of the listed words; the first is the default. */
export const choiceParam = <const T extends string>(choices: readonly [T, ...T[]]): Param<T> => ({
  read: (text) => choices.find((choice) => choice === text) ?? choices[0],
  write: (value) => (value === choices[0] ? undefined : String(value)),
});

/** A switch, off by default. */
export const flagParam: Param<boolean> = {
  read: (text) => text === 'true',
  write: (value) => (value === true ? 'true' : undefined),
};
