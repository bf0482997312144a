/** Stands where a value would: what is unknown, does not apply or is not there yet. The console has no other dash for it. */
export const nothing = '–';
