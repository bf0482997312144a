import { DateTimePicker, type DateTimePickerProps } from '@mantine/dates';
import 'dayjs/locale/zh-cn';
import { texts, useLanguage, useTranslate } from '../../lib/i18n.ts';

const text = texts({ clear: { zh: '清除', en: 'Clear' } });

/** A moment in local time, written as `YYYY-MM-DD HH:mm:ss`; null for none. */
export function DateTimeField(props: Omit<DateTimePickerProps, 'ref'>) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <DateTimePicker
      valueFormat="YYYY-MM-DD HH:mm:ss"
      locale={language === 'zh' ? 'zh-cn' : 'en'}
      withSeconds
      clearable
      clearButtonProps={{ 'aria-label': t(text.clear) }}
      {...props}
    />
  );
}
