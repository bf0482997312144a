import { DateTimePicker, type DateTimePickerProps } from '@mantine/dates';
import 'dayjs/locale/zh-cn';
import { useLanguage } from '../../lib/i18n.ts';

/** A moment in local time, written as `YYYY-MM-DD HH:mm:ss`; null for none. */
export function DateTimeField(props: Omit<DateTimePickerProps, 'ref'>) {
  const language = useLanguage();
  return (
    <DateTimePicker
      valueFormat="YYYY-MM-DD HH:mm:ss"
      locale={language === 'zh' ? 'zh-cn' : 'en'}
      withSeconds
      clearable
      {...props}
    />
  );
}
