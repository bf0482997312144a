import type { QueryResult } from 'kysely';

/** What a process asks of the one that writes its SQLite file. */
export const writes = {
  /** A statement by itself: sql, parameters → Outcome. */
  run: 'store:run',
  /** Begins a transaction: its id, chosen by the one who asks → Outcome. */
  begin: 'store:begin',
  /** A statement in a transaction: id, sql, parameters → Outcome. */
  within: 'store:within',
  /** Ends a transaction: id, whether it is committed → Outcome. */
  end: 'store:end',
} as const;

export type Written = QueryResult<Record<string, unknown>>;

/** What came of a request; an error keeps the numbers by which its kind is told. */
export type Outcome =
  | { readonly result: Written | undefined }
  | { readonly failed: { message: string; errcode: number | undefined; code: string | undefined } };

export function failureOf(error: unknown): Outcome {
  const { message, errcode, code } = error as { message?: unknown; errcode?: unknown; code?: unknown };
  return {
    failed: {
      message: typeof message === 'string' ? message : String(error),
      errcode: typeof errcode === 'number' ? errcode : undefined,
      code: typeof code === 'string' ? code : undefined,
    },
  };
}

/** The result, or the error that the other process met, as the driver would throw it here. */
export function resultOf(outcome: Outcome): Written | undefined {
  if ('result' in outcome) return outcome.result;
  const { message, ...numbers } = outcome.failed;
  throw Object.assign(new Error(message), numbers);
}
