import type { Translate } from '../../lib/i18n.ts';
import type { SetupCall } from './queries.ts';
import { text } from './text.ts';

export type Mode = 'external' | 'self' | 'demo';

export interface SetupForm extends Record<string, unknown> {
  token: string;
  username: string;
  password: string;
  confirmPassword: string;
  mode: Mode;
  sandbox: boolean;
}

export const emptyForm: SetupForm = {
  token: '',
  username: '',
  password: '',
  confirmPassword: '',
  mode: 'external',
  sandbox: true,
};

/** The fields of the form on this server. */
export interface Needs {
  /** False if an administrator exists already. */
  account: boolean;
  /** True unless the address has the token. */
  token: boolean;
}

const maxNameLength = 20;

function nameProblem(name: string): 'usernameRequired' | 'usernameLong' | null {
  if (name.trim() === '') return 'usernameRequired';
  return name.trim().length > maxNameLength ? 'usernameLong' : null;
}

/** Validation of the fields; account fields are absent if an account exists. */
export const rules = (t: Translate, needs: Needs) => ({
  token: (value: string) => (needs.token && value.trim() === '' ? t(text.tokenRequired) : null),
  username: (value: string) => {
    const problem = needs.account ? nameProblem(value) : null;
    return problem && t(text[problem]);
  },
  password: (value: string) => (needs.account && value.length < 8 ? t(text.passwordShort) : null),
  confirmPassword: (value: string, values: SetupForm) =>
    needs.account && value !== values.password ? t(text.mismatch) : null,
});

/** The call of a filled form. */
export const toCall = (values: SetupForm): SetupCall => ({
  username: values.username.trim(),
  password: values.password,
  confirmPassword: values.confirmPassword,
  SelfUseModeEnabled: values.mode === 'self',
  DemoSiteEnabled: values.mode === 'demo',
  sandbox: values.sandbox,
  token: values.token.trim(),
});
