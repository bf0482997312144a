import { group, integer, toggle } from './define.ts';

export const logs = group(
  'logs',
  { zh: '日志设置', en: 'Logs' },
  {
    LogConsumeEnabled: toggle({
      default: true,
      label: { zh: '启用额度消费日志记录', en: 'Log consumption' },
      help: {
        zh: '关闭后不再记录每次调用，账目不受影响',
        en: 'Off: calls are no longer logged; balances stay exact',
      },
    }),
    LogRetentionDays: integer({
      min: 0,
      max: 3_650,
      default: 0,
      label: { zh: '日志保留天数', en: 'Log retention (days)' },
      help: {
        zh: '0 表示永久保留；更早的日志每天分小批删除，收据、重新计价和对账随之不可用，按小时的合计保留',
        en: '0 keeps all. Older rows are deleted daily in small batches, with their receipts, corrections and reconciliation; hourly sums are kept',
      },
    }),
    AuditRetentionDays: integer({
      min: 0,
      max: 3_650,
      default: 0,
      label: { zh: '审计记录保留天数', en: 'Audit retention (days)' },
      help: {
        zh: '0 表示永久保留；少于 30 天按 30 天计。清理本身也会留下审计记录',
        en: '0 keeps it forever; fewer than 30 count as 30. The deletion itself is recorded',
      },
    }),
  },
);
