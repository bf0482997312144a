import { TextInput, type TextInputProps } from '@mantine/core';
import { useTranslate } from '../../lib/i18n.ts';
import { reauthenticationText as text } from './text.ts';

interface CodeFieldProps extends TextInputProps {
  /** False for an account with passkeys only, which has only recovery codes. */
  hasApp: boolean;
}

/** A field for a code of the app or a recovery code; browsers and password managers fill in the former. */
export function CodeField({ hasApp, ...props }: CodeFieldProps) {
  const t = useTranslate();
  return (
    <TextInput
      label={t(text.code)}
      description={t(hasApp ? text.codeHint : text.recoveryHint)}
      autoComplete="one-time-code"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={64}
      data-autofocus
      {...props}
    />
  );
}
