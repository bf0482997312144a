import { ApiError } from './api-error.ts';

/** How a person proves once more who they are: by a second factor, or by the password where there is none. */
export type ProofKind = 'factor' | 'password';

/** Asks the person; tells whether they proved it. */
type AskProof = (kind: ProofKind) => Promise<boolean>;

let ask: AskProof | undefined;
let lead: (() => void) | undefined;
let pending: Promise<boolean> | undefined;

/** Says who asks: the one dialog of the console, which lives above this. */
export function onProofNeeded(asking: AskProof): void {
  ask = asking;
}

/** Says what leads an administrator, whom the site wants to have a second factor first, to where they set one up. */
export function onFactorOwed(leading: () => void): void {
  lead = leading;
}

/** What a refusal asks for; undefined for every other error. */
function kindOf(error: unknown, hasPassword: boolean): ProofKind | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'verify_again') return 'factor';
  return error.code === 'password_required' && !hasPassword ? 'password' : undefined;
}

/**
 * Makes a call; when it is refused because the caller must prove once more who they are, asks them and makes it again.
 * Calls that wait for a proof at the same time share one question.
 *
 * @param hasPassword - the call carries a password already, whose refusal stands beside its field
 */
export async function withProof<T>(run: () => Promise<T>, hasPassword: boolean): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'second_factor_required') lead?.();
    const kind = kindOf(error, hasPassword);
    if (kind === undefined || ask === undefined) throw error;
    pending ??= ask(kind).finally(() => (pending = undefined));
    if (!(await pending)) throw error;
    return run();
  }
}
