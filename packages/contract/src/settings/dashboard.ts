import { choice, group, integer, toggle } from './define.ts';

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
        zh: '统计随每次结算即时写入，无需等待；此项仅为兼容而保留，没有作用',
        en: 'Kept for compatibility, without effect: sums are written with every charge',
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
