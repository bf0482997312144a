import type { DateTimePickerProps } from '@mantine/dates';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { DateTimeField } from './date-time-field.tsx';
import { fromDateText } from './date-text.ts';

const text = texts({
  label: { zh: '有效期至', en: 'Valid until' },
  note: { zh: '届时未用的部分过期', en: 'Unused credit expires then' },
  never: { zh: '永不过期', en: 'Never' },
});

/** The end of credit that an administrator gives. */
export function CreditEndField(props: Pick<DateTimePickerProps, 'value' | 'onChange' | 'error'>) {
  const t = useTranslate();
  return (
    <DateTimeField label={t(text.label)} description={t(text.note)} placeholder={t(text.never)} {...props} />
  );
}

/** Its Unix seconds; 0 for never. */
export const creditEnd = (value: string | null): number => fromDateText(value) || 0;
