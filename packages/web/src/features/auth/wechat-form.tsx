import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { SignInOutcome } from '@tollgate/contract';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { useWechat } from './queries.ts';
import { text } from './text.ts';

interface WechatFormProps {
  aff: string;
  /** Called after the first step. */
  onDone: (outcome: SignInOutcome) => void;
}

/** The QR code to scan, and a field for the code that the account answers with. */
export function WechatForm({ aff, onDone }: WechatFormProps) {
  const t = useTranslate();
  const language = useLanguage();
  const picture = useStatus()?.wechat_qrcode ?? '';
  const login = useWechat();
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (value) => (value.trim() === '' ? t(text.required) : null) },
  });
  const submit = form.onSubmit(({ code }) => {
    login.mutate({ code: code.trim(), aff }, { onSuccess: (outcome) => outcome && onDone(outcome) });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text>{t(text.wechatHint)}</Text>
        {picture !== '' && <img src={picture} alt={t(text.wechatPicture)} className="fluid" />}
        {login.isError && (
          <Notice tone="bad" role="alert">
            {errorMessage(login.error, language)}
          </Notice>
        )}
        <TextInput label={t(text.wechatCode)} autoComplete="one-time-code" {...form.getInputProps('code')} />
        <Button type="submit" loading={login.isPending}>
          {t(text.login)}
        </Button>
      </Stack>
    </form>
  );
}
