import type { QueryResult } from 'kysely';

/** Messages of a process to the one that writes its SQLite file. */
export const writes = {
  /** A single statement: sql, parameters → Outcome. */
  run: 'store:run',
  /** Starts a transaction: its id, chosen by the caller → Outcome. */
  begin: 'store:begin',
  /** A statement in a transaction: id, sql, parameters → Outcome. */
  within: 'store:within',
  /** Ends a transaction: id, whether it is committed → Outcome. */
  end: 'store:end',
} as const;

export type Written = QueryResult<Record<string, unknown>>;

/** Result of a message; an error keeps the codes that identify its kind. */
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

/** The result, or the other process's error, thrown as the driver would throw it here. */
export function resultOf(outcome: Outcome): Written | undefined {
  if ('result' in outcome) return outcome.result;
  const { message, ...numbers } = outcome.failed;
  throw Object.assign(new Error(message), numbers);
}
