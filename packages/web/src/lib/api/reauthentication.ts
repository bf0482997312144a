import { ApiError } from './api-error.ts';

/** Lets the user confirm their identity if a call was refused for lack of it; resolves to whether to repeat the call. */
type Reauthenticate = (error: ApiError, hasPassword: boolean) => Promise<boolean>;

let reauthenticate: Reauthenticate | undefined;

/** Sets what refused calls use; a callback, because the dialogs are in a layer above this one. */
export const setReauthentication = (handler: Reauthenticate): void => {
  reauthenticate = handler;
};

/**
 * Makes a call, and repeats it once if it was refused until the user confirms their identity and they do.
 *
 * @param hasPassword - the call carries a password already; the form shows its refusal beside the field
 */
export async function withReauthentication<T>(run: () => Promise<T>, hasPassword: boolean): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError) || !(await reauthenticate?.(error, hasPassword))) throw error;
    return run();
  }
}
