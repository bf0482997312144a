import type { ApiError } from '../../lib/api/api-error.ts';
import { askProof, type ProofKind } from './ask-proof.tsx';

let pending: Promise<boolean> | undefined;

/** What a refusal asks for; undefined for every other error. */
function kindOf({ code }: ApiError, hasPassword: boolean): ProofKind | undefined {
  if (code === 'verify_again') return 'factor';
  return code === 'password_required' && !hasPassword ? 'password' : undefined;
}

/**
 * Asks a person who must prove once more who they are; tells whether they did. Calls that wait for a proof at the same
 * time share one question. An administrator who owes a second factor is led to where they set one up.
 *
 * @param lead - leads there
 */
export async function settleRefusal(
  error: ApiError,
  hasPassword: boolean,
  lead: () => void,
): Promise<boolean> {
  if (error.code === 'second_factor_required') lead();
  const kind = kindOf(error, hasPassword);
  if (kind === undefined) return false;
  pending ??= askProof(kind).finally(() => (pending = undefined));
  return pending;
}
