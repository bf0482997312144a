import type { ManagedUserData } from '@tollgate/contract';
import type { useUpdateUser } from '../base/queries.ts';

type UserChange = Omit<Parameters<ReturnType<typeof useUpdateUser>['mutate']>[0], 'id'>;

export interface UserForm extends Record<string, unknown> {
  username: string;
  displayName: string;
  group: string;
  remark: string;
  /** '' keeps the password. */
  password: string;
  /** Initial credit of a new user, in quota units; '' for none. */
  balance: number | string;
  /** Reason in the ledger. */
  reason: string;
}

/** The server's maximum length of names, in characters. */
const maxName = 20;
const minPassword = 8;
/** The longest remark, in characters. */
export const maxRemark = 255;

export const emptyUserForm: UserForm = {
  username: '',
  displayName: '',
  group: 'default',
  remark: '',
  password: '',
  balance: '',
  reason: '',
};

export const formOf = (user: ManagedUserData): UserForm => ({
  username: user.username,
  displayName: user.display_name,
  group: user.group,
  remark: user.remark,
  password: '',
  balance: '',
  reason: '',
});

export type UserProblem =
  | 'credentialsEmpty'
  | 'usernameRequired'
  | 'usernameLong'
  | 'displayNameLong'
  | 'passwordShort';

/** The faults by field; the server checks them again. A new user needs a password. */
export function problemsOf(form: UserForm, isNew: boolean): (readonly [keyof UserForm, UserProblem])[] {
  const problems: (readonly [keyof UserForm, UserProblem])[] = [];
  const name = form.username.trim();
  if (name === '') problems.push(['username', isNew ? 'credentialsEmpty' : 'usernameRequired']);
  else if (name.length > maxName) problems.push(['username', 'usernameLong']);
  if (form.displayName.trim().length > maxName) problems.push(['displayName', 'displayNameLong']);
  if (form.password === '') {
    if (isNew) problems.push(['password', 'credentialsEmpty']);
  } else if (form.password.length < minPassword) problems.push(['password', 'passwordShort']);
  return problems;
}

const wireNames = {
  username: 'username',
  displayName: 'display_name',
  group: 'group',
  remark: 'remark',
  password: 'password',
} as const;

/**
 * The fields that changed since the form was opened: only these are sent, so that concurrent changes of others stay. A
 * password is sent unchanged.
 */
export function changesOf(form: UserForm, before: UserForm): UserChange {
  const fields = Object.keys(wireNames) as (keyof typeof wireNames)[];
  const wanted = (field: keyof typeof wireNames) =>
    field === 'password' ? form.password : form[field].trim();
  const changed = fields.filter((field) => wanted(field) !== before[field]);
  return Object.fromEntries(changed.map((field) => [wireNames[field], wanted(field)]));
}
