import { choice, decimal, group, integer, secret, text, timeZone } from './define.ts';

/** Services that an alarm can be posted to, beside mail. */
export const alarmServices = [
  'Webhook',
  'Slack',
  'Feishu',
  'DingTalk',
  'WeCom',
  'Telegram',
  'Bark',
  'Gotify',
] as const;
export type AlarmService = (typeof alarmServices)[number];

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
    AlarmService: choice({
      choices: ['none', ...alarmServices],
      default: 'none',
      guards: ['AlarmSecret'],
      label: { zh: '告警消息服务', en: 'Post alarms to' },
      help: {
        zh: '渠道、余额、毛利、预算、磁盘与账目的告警',
        en: 'About channels, balances, margins, budgets, disk and books',
      },
    }),
    AlarmAddress: secret({
      guards: ['AlarmSecret'],
      label: { zh: '消息服务地址', en: 'Address of the service' },
      help: {
        zh: '机器人的 Webhook 地址；Telegram 与 Bark 可留空',
        en: 'The webhook’s address; may be empty for Telegram and Bark',
      },
    }),
    AlarmSecret: secret({
      label: { zh: '签名密钥或访问凭证', en: 'Signing secret or token' },
      help: {
        zh: 'Telegram、Bark、Gotify 必填；飞书、钉钉为加签密钥',
        en: 'Required for Telegram, Bark and Gotify; signs for the others',
      },
    }),
    AlarmReceiver: text({
      default: '',
      label: { zh: 'Telegram 会话 ID', en: 'Telegram chat' },
      help: { zh: '只用于 Telegram', en: 'The id of the chat; only for Telegram' },
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
      label: { zh: '免打扰时区', en: 'Time zone of quiet hours' },
      help: { zh: '例如 Asia/Shanghai', en: 'For example Europe/Berlin' },
    }),
  },
);
