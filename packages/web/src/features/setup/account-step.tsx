import { Button, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useSay } from '../../lib/i18n.ts';
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

/** Step 1: who runs the site. */
export function AccountStep({ form, needs, isSqlite, onNext }: AccountStepProps) {
  const say = useSay();
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
      {isSqlite && <Notice tone="info">{say(text.sqlite)}</Notice>}
      {needs.token && (
        <TextInput
          label={say(text.token)}
          description={say(text.tokenHint)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('token')}
        />
      )}
      {needs.account ? (
        <>
          <TextInput
            label={say(text.username)}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps('username')}
          />
          <PasswordField
            label={say(text.password)}
            description={form.errors.password ? undefined : say(text.passwordShort)}
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          <PasswordField
            label={say(text.passwordAgain)}
            autoComplete="new-password"
            {...form.getInputProps('confirmPassword')}
          />
        </>
      ) : (
        <Notice tone="good">{say(text.rootExists)}</Notice>
      )}
      <div className={classes.buttons}>
        <span />
        <Button type="submit">{say(text.next)}</Button>
      </div>
    </form>
  );
}
