import { ApiError } from './api-error.ts';

/** Puts right what a call was refused for, with the person's help; tells whether the call is worth making again. */
type Settle = (error: ApiError, hasPassword: boolean) => Promise<boolean>;

let settle: Settle | undefined;

/** Says who puts refusals right: the dialogs of the console, which live above this. */
export const onRefusal = (settling: Settle): void => {
  settle = settling;
};

/**
 * Makes a call, and makes it again when what it was refused for was put right.
 *
 * @param hasPassword - the call carries a password already, whose refusal stands beside its field
 */
export async function withProof<T>(run: () => Promise<T>, hasPassword: boolean): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError) || !(await settle?.(error, hasPassword))) throw error;
    return run();
  }
}
