import { texts } from '../../../lib/i18n.ts';

export const text = texts({
  clean: { zh: '清理历史日志', en: 'Clear old logs' },
  stop: { zh: '停止', en: 'Stop' },
  before: { zh: '清理此时间之前的日志', en: 'Clear the log before' },
  chooseTime: { zh: '请选择日志记录时间！', en: 'Please choose the log time!' },
  nothing: { zh: '{time} 之前没有日志', en: 'There are no entries before {time}' },
  question: {
    zh: '{time} 之前的 {count} 条日志将被删除，此操作不可恢复。按小时的合计保留。',
    en: {
      one: '{count} entry before {time} is deleted. This cannot be undone. Sums by the hour stay.',
      other: '{count} entries before {time} are deleted. This cannot be undone. Sums by the hour stay.',
    },
  },
  progress: { zh: '已清理 {done} / {total}', en: '{done} of {total} deleted' },
  failed: { zh: '日志清理失败：{reason}', en: 'Clearing the log failed: {reason}' },
  cleaned: {
    zh: '{count} 条日志已清理！',
    en: { one: '{count} entry was deleted', other: '{count} entries were deleted' },
  },
  stopped: {
    zh: '已停止，清理了 {count} 条日志',
    en: { one: 'Stopped; {count} entry was deleted', other: 'Stopped; {count} entries were deleted' },
  },
  wouldGo: {
    zh: '按此天数，{time} 之前的 {count} 条日志会被删除并记入审计',
    en: {
      one: 'With this many days {count} entry before {time} is deleted and recorded',
      other: 'With this many days {count} entries before {time} are deleted and recorded',
    },
  },
  noneWouldGo: {
    zh: '按此天数，目前没有日志会被删除',
    en: 'With this many days no entry is deleted now',
  },
});
