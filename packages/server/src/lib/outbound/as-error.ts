/** What was thrown, as an Error: anything may be thrown, and handlers are promised an Error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
