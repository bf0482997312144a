import { product } from '@tollgate/contract';
import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { useStatus } from '../../lib/api/status.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { flagParam, textParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { lazy } from '../../lib/lazy.ts';
import { safeNext, type StepMethods, useAfterSignIn } from './after-sign-in.ts';
import { AuthCard } from './auth-card.tsx';
import classes from './auth-card.module.css';
import { useHumanCheck } from '../../shared/human-check/human-check.tsx';
import { checkText } from '../../shared/human-check/text.ts';
import { OtherSites } from './lazy-other-sites.tsx';
import { useLogin } from './queries.ts';
import { text } from './text.ts';

const search = { expired: flagParam, next: textParam(), aff: textParam(), step: textParam() };

/** Few users need it, so it loads on demand. */
const SecondStep = lazy(async () => ({ default: (await import('./second-step.tsx')).SecondStep }));

/** Loaded only on sites with passkeys. */
const PasskeySignIn = lazy(async () => ({
  default: (await import('./passkey-sign-in.tsx')).PasskeySignIn,
}));

const isStep = (step: string): step is StepMethods => step !== '';

/** The default password of old installations. */
const defaultPassword = '123456';

export function Page() {
  const t = useTranslate();
  const status = useStatus();
  const [{ aff, step, next }] = useUrlState(search);
  const mayRegister = status?.register_enabled && !status.self_use_mode_enabled;
  if (isStep(step)) {
    return (
      <Suspense fallback={null}>
        <SecondStep proofs={step} next={next} />
      </Suspense>
    );
  }
  return (
    <AuthCard
      title={t(text.loginTitle, { name: status?.system_name || product.name })}
      foot={
        mayRegister && (
          <>
            {t(text.noAccount)}{' '}
            <Link to="/register" search={{ aff, next }}>
              {t(text.register)}
            </Link>
          </>
        )
      }
    >
      <LoginForm />
      {status?.passkey_login && (
        <Suspense fallback={null}>
          <PasskeySignIn next={next} />
        </Suspense>
      )}
      <OtherSites aff={aff} next={next} />
    </AuthCard>
  );
}

/** The fields and their submission; a logged-in user continues to the requested page. */
function useLoginForm() {
  const t = useTranslate();
  const goOn = useAfterSignIn();
  const [{ next }] = useUrlState(search);
  const login = useLogin();
  const check = useHumanCheck();
  const required = (value: string) => (value.trim() === '' ? t(text.required) : null);
  const form = useForm({
    initialValues: { username: '', password: '' },
    validate: { username: required, password: (value) => (value === '' ? t(text.required) : null) },
  });
  const submit = form.onSubmit(({ username, password }) => {
    if (check.isPending) return toast.bad(t(checkText.checkPending));
    login.mutate(
      { username: username.trim(), password, turnstile: check.answer },
      {
        onSuccess: (outcome) => {
          const isDefault = username.trim() === 'root' && password === defaultPassword;
          const greeting = isDefault ? () => toast.bad(t(text.defaultPassword)) : undefined;
          goOn(outcome, safeNext(next, '/token'), greeting);
        },
        onError: () => check.renew(),
      },
    );
  });
  return { form, login, check, submit };
}

function LoginForm() {
  const t = useTranslate();
  const language = useLanguage();
  const [{ expired }] = useUrlState(search);
  const { form, login, check, submit } = useLoginForm();
  const isIncomplete = Object.keys(form.errors).length > 0;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {expired && !login.isError && <Notice tone="warn">{t(text.expired)}</Notice>}
        {(login.isError || isIncomplete) && (
          <Notice tone="bad" role="alert">
            {isIncomplete ? t(text.credentialsMissing) : errorMessage(login.error, language)}
          </Notice>
        )}
        <TextInput
          label={t(text.usernameOrEmail)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('username')}
        />
        <PasswordField
          label={t(text.password)}
          autoComplete="current-password"
          {...form.getInputProps('password')}
        />
        <Link to="/reset" className={classes.aside}>
          {t(text.forgotPassword)}
        </Link>
        {check.widget}
        <Button type="submit" fullWidth size="md" loading={login.isPending}>
          {t(text.login)}
        </Button>
      </Stack>
    </form>
  );
}
