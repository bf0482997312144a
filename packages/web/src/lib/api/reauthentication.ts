import { ApiError } from './api-error.ts';

/** Lets the user confirm their identity if a call required it; resolves to true if the call should be repeated. */
type Reauthenticate = (error: ApiError, hasPassword: boolean) => Promise<boolean>;

let reauthenticate: Reauthenticate | undefined;

/** Sets the handler of such refusals; a callback, because the dialogs are in a layer above this one. */
export const setReauthentication = (handler: Reauthenticate): void => {
  reauthenticate = handler;
};

/**
 * Makes a call. If it requires a confirmed identity, the user is asked for it and the call is repeated once.
 *
 * @param hasPassword - the call contains a password already; the form shows its refusal beside the field
 */
export async function withReauthentication<T>(run: () => Promise<T>, hasPassword: boolean): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ApiError) || !(await reauthenticate?.(error, hasPassword))) throw error;
    return run();
  }
}
