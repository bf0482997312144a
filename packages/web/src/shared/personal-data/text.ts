import { texts } from '../../lib/i18n.ts';

export const text = texts({
  start: { zh: '导出数据', en: 'Export data' },
  stop: { zh: '停止', en: 'Stop' },
  progress: {
    zh: '正在导出，已读取 {count} 条',
    en: { one: 'Exporting: {count} entry so far', other: 'Exporting: {count} entries so far' },
  },
  done: {
    zh: '已导出 {count} 条数据',
    en: { one: '{count} entry exported', other: '{count} entries exported' },
  },
});
