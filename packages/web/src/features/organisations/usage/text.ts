import { texts } from '../../../lib/i18n.ts';

export const usageText = texts({
  title: { zh: '组织日志', en: 'Organisation log' },
  spent: { zh: '花费', en: 'Spent' },
  rpm: { zh: '每分钟请求', en: 'Requests per minute' },
  tpm: { zh: '每分钟 Token', en: 'Tokens per minute' },
  time: { zh: '时间', en: 'Time' },
  member: { zh: '成员', en: 'Member' },
  model: { zh: '模型', en: 'Model' },
  cost: { zh: '花费', en: 'Cost' },
  input: { zh: '输入', en: 'Input' },
  output: { zh: '输出', en: 'Output' },
  key: { zh: '令牌', en: 'Key' },
  requestId: { zh: '请求 ID', en: 'Request ID' },
  details: { zh: '详情', en: 'Details' },
  failed: { zh: '失败', en: 'Failed' },
  emptyTitle: { zh: '没有记录', en: 'No records' },
  emptyHint: {
    zh: '这个时间范围内没有符合条件的记录。',
    en: 'No record in this period matches.',
  },
});
