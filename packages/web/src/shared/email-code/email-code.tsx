import { Button, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { errorMessage } from '../../lib/api/api-error.ts';
import { toast } from '../feedback/toast.ts';
import type { HumanCheckState } from '../human-check/human-check.tsx';
import { checkText } from '../human-check/text.ts';
import { Notice } from '../../ui/notice.tsx';
import classes from './email-code.module.css';
import { mailText } from './text.ts';
import { useCountdown } from './use-countdown.ts';
import { type CallOf, emailApi } from '@tollgate/contract';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** Sends a code to an address. */
const useSendCode = () =>
  useMutation({
    mutationFn: (input: CallOf<typeof emailApi.sendCode>) => call(emailApi.sendCode, input),
    meta: { quiet: true },
  });

/** The props that a form library gives to a field. */
interface FieldProps {
  value?: string;
  error?: React.ReactNode;
  onChange(value: unknown): void;
}

interface EmailCodeProps {
  /** The current address in the form. */
  address: string;
  email: FieldProps;
  code: FieldProps;
  check: HumanCheckState;
}

/** An address, a button that sends a code there, and the code. */
export function EmailCode({ address, email, code, check }: EmailCodeProps) {
  const t = useTranslate();
  const language = useLanguage();
  const send = useSendCode();
  const countdown = useCountdown();
  const field = useRef<HTMLInputElement>(null);
  const [isMissing, setMissing] = useState(false);
  const sendNow = () => {
    if (address.trim() === '') {
      setMissing(true);
      return field.current?.focus();
    }
    if (check.isPending) return toast.bad(t(checkText.checkPending));
    send.mutate(
      { email: address.trim(), turnstile: check.answer },
      { onSuccess: () => countdown.start(), onSettled: () => check.renew() },
    );
  };
  return (
    <>
      {send.isError && (
        <Notice tone="bad" role="alert">
          {errorMessage(send.error, language)}
        </Notice>
      )}
      <TextInput
        ref={field}
        label={t(mailText.email)}
        type="email"
        autoComplete="email"
        {...email}
        error={email.error ?? (isMissing && address.trim() === '' ? t(mailText.addressFirst) : undefined)}
      />
      <div className={classes.row}>
        <TextInput
          className={classes.code}
          label={t(mailText.code)}
          inputMode="numeric"
          autoComplete="one-time-code"
          {...code}
        />
        <Button variant="default" onClick={sendNow} loading={send.isPending} disabled={countdown.left > 0}>
          {countdown.left > 0 ? t(mailText.resendIn, { seconds: countdown.left }) : t(mailText.sendCode)}
        </Button>
      </div>
      {send.isSuccess && countdown.left > 0 && (
        <Notice tone="good" role="status">
          {t(mailText.codeSent)}
        </Notice>
      )}
    </>
  );
}
