import { decimal, group, integer, text, timeZone } from './define.ts';

const hour = { min: 0, max: 23 } as const;

export const alarms = group(
  'payments',
  { zh: '告警', en: 'Alarms' },
  {
    AlarmMail: text({
      default: '',
      label: { zh: '告警邮箱', en: 'Mail alarms to' },
      help: {
        zh: '多个地址用分号分隔；留空不发邮件',
        en: 'Several addresses separated by semicolons; empty for no mail',
      },
    }),
    AlarmVendorBalance: decimal({
      default: 5,
      min: 0,
      max: 1_000_000,
      label: { zh: '上游余额告警值', en: 'Low vendor balance' },
      help: { zh: '低于此余额的渠道会告警；0 表示不告警', en: 'In the vendor’s currency; 0 for no alarm' },
    }),
    AlarmQuietFrom: integer({
      ...hour,
      default: 0,
      label: { zh: '免打扰开始（时）', en: 'Quiet from (hour)' },
      help: { zh: '免打扰期间的告警在结束后发送', en: 'Alarms wait until the quiet hours are over' },
    }),
    AlarmQuietTo: integer({
      ...hour,
      default: 0,
      label: { zh: '免打扰结束（时）', en: 'Quiet until (hour)' },
      help: { zh: '与开始相同表示不设免打扰', en: 'The same hour as above for none' },
    }),
    AlarmTimeZone: timeZone({
      default: 'UTC',
      label: { zh: '时区', en: 'Time zone' },
      help: {
        zh: '用于账单的月份、额度的最后一天和免打扰时段，例如 Asia/Shanghai',
        en: 'For months of statements, the last day of credit and quiet hours, e.g. Europe/Berlin',
      },
    }),
  },
);
