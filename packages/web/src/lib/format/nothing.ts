/** Shown instead of a value that is unknown, missing or does not apply. The console uses no other dash for it. */
export const nothing = '–';
