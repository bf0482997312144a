import { useForm } from '@mantine/form';
import type { UserData } from '@tollgate/contract';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import classes from '../base/personal.module.css';
import { useUpdateSelf } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { emptyPasswordForm, passwordProblems, type PasswordForm } from '../rules/password.ts';

function usePasswordForm(hasPassword: boolean) {
  const t = useTranslate();
  return useForm<PasswordForm>({
    initialValues: emptyPasswordForm,
    validate: (values) =>
      Object.fromEntries(
        passwordProblems(values, hasPassword).map(([field, problem]) => [field, t(text[problem])]),
      ),
  });
}

/** Changes the password with the old one, or sets a first one. */
export function PasswordPanel({ self }: { self: UserData }) {
  const t = useTranslate();
  const language = useLanguage();
  const form = usePasswordForm(self.has_password);
  const update = useUpdateSelf(() => {
    form.reset();
    toast.good(t(text.passwordChanged));
  });
  const submit = form.onSubmit(({ original, next }) =>
    update.mutate({ original_password: original, password: next }),
  );
  return (
    <Panel title={t(text.password)} hint={t(self.has_password ? text.passwordHint : text.firstPasswordHint)}>
      <form className={classes.form} noValidate onSubmit={submit}>
        {/* Names the account for password managers. */}
        <input type="text" name="username" autoComplete="username" value={self.username} readOnly hidden />
        {self.has_password && (
          <PasswordField
            label={t(text.original)}
            autoComplete="current-password"
            {...form.getInputProps('original')}
          />
        )}
        <div className={classes.pair}>
          <PasswordField
            label={t(text.next)}
            description={t(text.nextHint)}
            autoComplete="new-password"
            {...form.getInputProps('next')}
          />
          <PasswordField label={t(text.again)} autoComplete="new-password" {...form.getInputProps('again')} />
        </div>
        {update.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(update.error, language)}
          </Notice>
        )}
        <div className={classes.foot}>
          <MutationButton type="submit" variant="default" loading={update.isPending}>
            {t(text.changePassword)}
          </MutationButton>
        </div>
      </form>
    </Panel>
  );
}
