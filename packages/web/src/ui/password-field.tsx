import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { texts, useTranslate } from '../lib/i18n.ts';

const text = texts({ toggle: { zh: '显示或隐藏', en: 'Show or hide' } });

/** A password field; the label of its eye button is in both languages. */
export function PasswordField(props: Omit<PasswordInputProps, 'ref'>) {
  const t = useTranslate();
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t(text.toggle) }} {...props} />;
}
