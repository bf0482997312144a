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

/** Whose password is asked for again: those with a second factor show that instead, in a dialog of its own. */
export const asksPassword = ({
  has_password,
  two_factor,
}: Pick<UserData, 'has_password' | 'two_factor'>): boolean => has_password && !two_factor;

/** What is wrong with a change of password, field by field; a first password needs no former one. */
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
