import { group, toggle } from './define.ts';

export const logs = group(
  'operation',
  { zh: '日志设置', en: 'Logs' },
  {
    LogConsumeEnabled: toggle({
      default: true,
      label: { zh: '启用额度消费日志记录', en: 'Log consumption' },
      help: {
        zh: '关闭后不再记录每次调用，账目不受影响',
        en: 'Off: calls are no longer listed; the accounts stay exact',
      },
    }),
  },
);
