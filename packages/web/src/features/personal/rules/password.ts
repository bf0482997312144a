import type { UserData } from '@tollgate/contract';

export interface PasswordForm extends Record<string, unknown> {
  original: string;
  next: string;
  again: string;
}

export const emptyPasswordForm: PasswordForm = { original: '', next: '', again: '' };

export type PasswordProblem = 'originalRequired' | 'nextRequired' | 'tooShort' | 'unchanged' | 'mismatch';

const minPasswordLength = 8;

function nextProblem({ original, next }: PasswordForm): PasswordProblem | null {
  if (next === '') return 'nextRequired';
  if (next.length < minPasswordLength) return 'tooShort';
  return next === original ? 'unchanged' : null;
}

/**
 * Whether the password is required again; accounts with a second factor confirm with that instead, in a separate dialog.
 */
export const asksPassword = ({
  has_password,
  two_factor,
}: Pick<UserData, 'has_password' | 'two_factor'>): boolean => has_password && !two_factor;

/** The faults of a password change by field; a first password needs no former one. */
export function passwordProblems(
  form: PasswordForm,
  hasPassword = true,
): (readonly [keyof PasswordForm, PasswordProblem])[] {
  const problems: (readonly [keyof PasswordForm, PasswordProblem])[] = [];
  if (hasPassword && form.original === '') problems.push(['original', 'originalRequired']);
  const next = nextProblem(form);
  if (next) problems.push(['next', next]);
  if (form.again !== form.next) problems.push(['again', 'mismatch']);
  return problems;
}
