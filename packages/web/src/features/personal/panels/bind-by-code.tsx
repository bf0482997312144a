import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ComponentProps, ReactNode, SubmitEventHandler } from 'react';
import { errorMessage } from '../../../lib/api/api-error.ts';
import { useStatus } from '../../../lib/api/status.ts';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { EmailCode } from '../../../shared/email-code/email-code.tsx';
import { toast } from '../../../shared/feedback/toast.ts';
import { useHumanCheck } from '../../../shared/human-check/human-check.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';
import { useBindEmail, useBindWechat } from '../base/queries.ts';
import { text } from '../base/text.ts';

// A contact to bind with a code that was sent to it. Both forms load on first use, in one file.

interface BindProps {
  hasPassword: boolean;
  onClose: () => void;
}

interface BindFormProps {
  hint: string;
  /** The password's field; null for accounts without a password. */
  password: ComponentProps<typeof PasswordField> | null;
  bind: { error: Error | null; isPending: boolean };
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  onClose: () => void;
  /** The human check, where the site has one. */
  check?: ReactNode;
  /** The contact and its code. */
  children: ReactNode;
}

/** The password is required, because the binding can restore access to the account. */
function BindForm({ hint, password, bind, onSubmit, onClose, check, children }: BindFormProps) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
        {children}
        {password && (
          <PasswordField label={t(text.currentPassword)} autoComplete="current-password" {...password} />
        )}
        {check}
        {bind.error && (
          <Notice tone="bad" role="alert">
            {errorMessage(bind.error, language)}
          </Notice>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(text.cancel)}
          </Button>
          <MutationButton type="submit" loading={bind.isPending}>
            {t(text.bind)}
          </MutationButton>
        </Group>
      </Stack>
    </form>
  );
}

function useEmailForm(hasPassword: boolean) {
  const t = useTranslate();
  return useForm({
    initialValues: { email: '', code: '', password: '' },
    validate: {
      email: (value) => (value.trim() === '' ? t(text.emailRequired) : null),
      code: (value) => (value.trim() === '' ? t(text.codeRequired) : null),
      password: (value) => (hasPassword && value === '' ? t(text.passwordRequired) : null),
    },
  });
}

/** Binds an address with the code that was sent to it. */
export function BindEmail({ hasPassword, onClose }: BindProps) {
  const t = useTranslate();
  const check = useHumanCheck();
  const form = useEmailForm(hasPassword);
  const bind = useBindEmail(() => {
    toast.good(t(text.emailBound));
    onClose();
  });
  const submit = form.onSubmit(({ email, code, password }) =>
    bind.mutate({ email: email.trim(), code: code.trim(), password }),
  );
  return (
    <BindForm
      hint={t(text.bindEmailBody)}
      password={hasPassword ? form.getInputProps('password') : null}
      bind={bind}
      onSubmit={submit}
      onClose={onClose}
      check={check.widget}
    >
      <EmailCode
        address={form.values.email}
        email={form.getInputProps('email')}
        code={form.getInputProps('code')}
        check={check}
      />
    </BindForm>
  );
}

/** Binds WeChat with the code that the official account answers with. */
export function BindWechat({ hasPassword, onClose }: BindProps) {
  const t = useTranslate();
  const picture = useStatus()?.wechat_qrcode ?? '';
  const bind = useBindWechat(() => {
    toast.good(t(text.boundDone));
    onClose();
  });
  const form = useForm({
    initialValues: { code: '', password: '' },
    validate: {
      code: (value) => (value.trim() === '' ? t(text.codeRequired) : null),
      password: (value) => (hasPassword && value === '' ? t(text.passwordRequired) : null),
    },
  });
  return (
    <BindForm
      hint={t(text.bindWechatBody)}
      password={hasPassword ? form.getInputProps('password') : null}
      bind={bind}
      onSubmit={form.onSubmit(({ code, password }) => bind.mutate({ code: code.trim(), password }))}
      onClose={onClose}
    >
      {picture !== '' && <img src={picture} alt="" className="fluid" />}
      <TextInput label={t(text.wechatCode)} autoComplete="one-time-code" {...form.getInputProps('code')} />
    </BindForm>
  );
}
