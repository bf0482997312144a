import { Button, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import type { Needs, SetupForm } from './form.ts';
import classes from './page.module.css';
import { text } from './text.ts';

interface AccountStepProps {
  form: UseFormReturnType<SetupForm>;
  needs: Needs;
  isSqlite: boolean;
  onNext: () => void;
}

const fields = ['token', 'username', 'password', 'confirmPassword'];

/** Step 1: the administrator's account. */
export function AccountStep({ form, needs, isSqlite, onNext }: AccountStepProps) {
  const t = useTranslate();
  return (
    <form
      className={classes.body}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const failed = fields.filter((field) => form.validateField(field).hasError);
        if (failed.length === 0) onNext();
      }}
    >
      {isSqlite && <Notice tone="info">{t(text.sqlite)}</Notice>}
      {needs.token && (
        <TextInput
          label={t(text.token)}
          description={t(text.tokenHint)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('token')}
        />
      )}
      {needs.account ? (
        <>
          <TextInput
            label={t(text.username)}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps('username')}
          />
          <PasswordField
            label={t(text.password)}
            description={form.errors.password ? undefined : t(text.passwordShort)}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <PasswordField
            label={t(text.passwordAgain)}
            autoComplete="new-password"
            {...form.getInputProps('confirmPassword')}
          />
        </>
      ) : (
        <Notice tone="good">{t(text.rootExists)}</Notice>
      )}
      <div className={classes.buttons}>
        <span />
        <Button type="submit">{t(text.next)}</Button>
      </div>
    </form>
  );
}
