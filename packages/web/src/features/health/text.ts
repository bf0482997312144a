import { texts } from '../../lib/i18n.ts';

export const text = texts({
  title: { zh: '渠道健康', en: 'Health of channels' },
  hint: {
    zh: '由真实调用得出；换用其他渠道后成功的调用，仍计入失败的渠道。',
    en: 'From live calls; one that another channel answered still counts against the channel that failed.',
  },
  period: { zh: '时间范围', en: 'Period' },
  hour: { zh: '1 小时', en: '1 hour' },
  sixHours: { zh: '6 小时', en: '6 hours' },
  day: { zh: '24 小时', en: '24 hours' },
  by: { zh: '分行', en: 'A row for each' },
  channel: { zh: '渠道', en: 'Channel' },
  key: { zh: '密钥', en: 'Key' },
  model: { zh: '模型', en: 'Model' },
  tries: { zh: '尝试', en: 'Attempts' },
  success: { zh: '成功率', en: 'Success' },
  course: { zh: '走势', en: 'Course' },
  failures: { zh: '失败原因', en: 'Failures' },
  first: { zh: '首字 p50 / p95', en: 'First token p50 / p95' },
  whole: { zh: '完整 p50 / p95', en: 'Whole p50 / p95' },
  speed: { zh: 'Token / 秒', en: 'Tokens/s' },
  empty: { zh: '这段时间没有调用', en: 'No calls in this period' },
  gone: { zh: '已删除的渠道 {id}', en: 'Deleted channel {id}' },
});

export const statusText = texts({
  title: { zh: '服务状态', en: 'Status' },
  hint: {
    zh: '过去 24 小时各模型的调用情况，每小时一格。',
    en: 'How calls of each model went in the last 24 hours, a bar for each hour.',
  },
  off: { zh: '本站没有公开状态页', en: 'This site has no public status page' },
  empty: { zh: '过去 24 小时没有调用', en: 'No calls in the last 24 hours' },
  good: { zh: '正常', en: 'Operational' },
  degraded: { zh: '部分失败', en: 'Degraded' },
  down: { zh: '大多失败', en: 'Mostly failing' },
  unknown: { zh: '近两小时没有调用', en: 'No calls in two hours' },
  success: { zh: '成功 {rate}', en: '{rate} succeeded' },
  first: { zh: '首字 {time}', en: 'first token {time}' },
});
