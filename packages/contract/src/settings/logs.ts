import { group, integer, lines, toggle, choice } from './define.ts';

export const sensitive = group(
  'logs',
  { zh: '屏蔽词过滤设置', en: 'Sensitive words' },
  {
    CheckSensitiveEnabled: toggle({
      default: true,
      label: { zh: '启用屏蔽词过滤功能', en: 'Filter sensitive words' },
      help: { zh: '含有屏蔽词的请求会被拒绝', en: 'Requests that contain one are refused' },
    }),
    CheckSensitiveOnPromptEnabled: toggle({
      default: true,
      label: { zh: '启用 Prompt 检查', en: 'Check prompts' },
      help: { zh: '检查请求中的文本', en: 'Checks the text of requests' },
    }),
    SensitiveWords: lines({
      default: ['test_sensitive'],
      label: { zh: '屏蔽词列表', en: 'Words' },
      help: { zh: '一行一个屏蔽词，不区分大小写', en: 'One per line; case-insensitive' },
    }),
    StopOnSensitiveEnabled: toggle({
      default: true,
      unused: true,
      label: { zh: '检测到屏蔽词时立刻停止生成', en: 'Stop when a word appears' },
      help: { zh: '仅为兼容而保留，没有作用', en: 'Kept for compatibility, without effect' },
    }),
    StreamCacheQueueLength: integer({
      default: 0,
      min: 0,
      max: 1_000_000,
      unused: true,
      label: { zh: '流模式下的缓存队列长度', en: 'Stream queue length' },
      help: { zh: '仅为兼容而保留，没有作用', en: 'Kept for compatibility, without effect' },
    }),
  },
);

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
    SignedReceipts: toggle({
      default: false,
      publicAs: 'signed_receipts',
      label: { zh: '签名收据', en: 'Signed receipts' },
      help: {
        zh: '从本月起，每笔账目都有签名的收据，可离线验证；每笔约占 1 KB',
        en: 'From this month on, each entry has a receipt that can be verified offline; about 1 KB each',
      },
    }),
    LogRetentionDays: integer({
      min: 0,
      max: 3_650,
      default: 0,
      label: { zh: '日志保留天数', en: 'Log retention (days)' },
      help: {
        zh: '0 表示永久保留；更早的日志连同收据每天删除，按小时的合计保留',
        en: '0 keeps all; older rows go with their receipts, hourly sums stay',
      },
    }),
    StoredResponseDays: integer({
      min: 0,
      max: 30,
      default: 0,
      label: { zh: '响应保存天数', en: 'Keep responses (days)' },
      help: {
        zh: '供 previous_response_id 在不保存响应的供应商上使用，加密保存；0 表示不保存',
        en: 'Lets previous_response_id work with vendors that store nothing; encrypted; 0 keeps none',
      },
    }),
    AuditRetentionDays: integer({
      min: 0,
      max: 3_650,
      default: 0,
      label: { zh: '审计记录保留天数', en: 'Audit retention (days)' },
      help: {
        zh: '0 表示永久保留；少于 30 天按 30 天计',
        en: '0 keeps it forever, fewer than 30 count as 30',
      },
    }),
  },
);

export const dashboard = group(
  'logs',
  { zh: '数据看板设置', en: 'Dashboard' },
  {
    DataExportEnabled: toggle({
      default: true,
      publicAs: 'enable_data_export',
      label: { zh: '启用数据看板', en: 'Dashboard' },
      help: { zh: '按小时统计用量', en: 'Collects usage by the hour' },
    }),
    DataExportInterval: integer({
      default: 5,
      min: 1,
      max: 1_440,
      unused: true,
      label: { zh: '数据看板更新间隔（分钟）', en: 'Update interval (minutes)' },
      help: {
        zh: '没有作用：统计随每次结算写入',
        en: 'Without effect: sums are written with every charge',
      },
    }),
    DataExportDefaultTime: choice({
      default: 'hour',
      choices: ['hour', 'day', 'week'],
      publicAs: 'data_export_default_time',
      label: { zh: '数据看板默认时间粒度', en: 'Default granularity' },
      help: {
        zh: '仅修改展示粒度，统计精确到小时',
        en: 'Only changes the display; figures are kept by the hour',
      },
    }),
  },
);
