/** A thrown value as an Error, because anything can be thrown, and handlers expect an Error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
