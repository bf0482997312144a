import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UserData } from '@tollgate/contract';
import { useEffect, useRef } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { formatDateTime } from '../../../lib/format/date-format.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { GroupTag } from '../../../shared/group-tag/group-tag.tsx';
import { RoleTag } from '../../../shared/role-tag.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import classes from '../base/personal.module.css';
import { useUpdateSelf } from '../base/queries.ts';
import { text } from '../base/text.ts';

interface AccountPanelProps {
  self: UserData;
}

/** The user's names, and the form to change them. */
export function AccountPanel({ self }: AccountPanelProps) {
  const t = useTranslate();
  return (
    <Panel title={t(text.account)}>
      <Who self={self} />
      <NameForm self={self} />
    </Panel>
  );
}

function Who({ self }: AccountPanelProps) {
  const t = useTranslate();
  const name = self.display_name || self.username;
  return (
    <div className={classes.who}>
      <span className={classes.avatar} aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <strong>{name}</strong>
      <RoleTag role={self.role} />
      <GroupTag group={self.group} />
      <span className={classes.quiet}>
        #{self.id}
        {self.created_time > 0 &&
          ` · ${t(text.memberSince, { date: formatDateTime(self.created_time).slice(0, 10) })}`}
      </span>
    </div>
  );
}

/** The server's maximum length of names, in characters. */
const maxNameLength = 20;

const storedNames = ({ username, display_name: displayName }: UserData) => ({ username, displayName });

function useNameForm(self: UserData) {
  const t = useTranslate();
  const form = useForm({
    initialValues: { ...storedNames(self), password: '' },
    validateInputOnBlur: ['username', 'displayName'],
    validate: {
      username: (value) =>
        value.trim() === ''
          ? t(text.nameRequired)
          : value.trim().length > maxNameLength
            ? t(text.nameLong)
            : null,
      displayName: (value) => (value.trim().length > maxNameLength ? t(text.nameLong) : null),
      password: (value, { username }) =>
        self.has_password && username.trim() !== self.username && value === ''
          ? t(text.passwordRequired)
          : null,
    },
  });
  const { getValues, setValues, resetDirty } = form;
  const { username, displayName } = storedNames(self);
  const before = useRef({ username, displayName });
  // The stored names change while the form is open, usually by the form itself; newer input is kept.
  useEffect(() => {
    const known = before.current;
    if (known.username === username && known.displayName === displayName) return;
    before.current = { username, displayName };
    const typed = getValues();
    if (typed.username === known.username) setValues({ username });
    if (typed.displayName === known.displayName) setValues({ displayName });
    resetDirty({ username, displayName, password: '' });
  }, [username, displayName, getValues, setValues, resetDirty]);
  return form;
}

/** A display name changes freely; a new username needs the password. */
function NameForm({ self }: AccountPanelProps) {
  const t = useTranslate();
  const language = useLanguage();
  const form = useNameForm(self);
  const update = useUpdateSelf(() => {
    form.setFieldValue('password', '');
    toast.good(t(text.saved));
  });
  const renames = form.values.username.trim() !== self.username;
  const submit = form.onSubmit(({ password, ...typed }) => {
    const [username, displayName] = [typed.username.trim(), typed.displayName.trim()];
    form.setValues({ username, displayName });
    update.mutate({
      display_name: displayName,
      ...(renames && { username, original_password: password }),
    });
  });
  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <div className={classes.pair}>
        <TextInput
          label={t(text.username)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
        <TextInput
          label={t(text.displayName)}
          autoComplete="nickname"
          {...form.getInputProps('displayName')}
        />
      </div>
      {renames && self.has_password && (
        <PasswordField
          label={t(text.currentPassword)}
          description={t(text.currentPasswordHint)}
          autoComplete="current-password"
          {...form.getInputProps('password')}
        />
      )}
      {update.error && (
        <Notice tone="bad" role="alert">
          {errorMessage(update.error, language)}
        </Notice>
      )}
      <div className={classes.foot}>
        <MutationButton type="submit" variant="default" disabled={!form.isDirty()} loading={update.isPending}>
          {t(text.save)}
        </MutationButton>
      </div>
    </form>
  );
}
