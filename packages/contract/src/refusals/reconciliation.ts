/** Refusals of the reconciliation with vendors. */
export const reconciliationErrors = {
  report_key_missing: {
    status: 200,
    zh: '所选渠道没有管理密钥',
    en: 'None of these channels has an administration key',
  },
  report_span: {
    status: 200,
    zh: '最多 {days} 天，且不能在未来',
    en: 'At most {days} days, and none in the future',
  },
  report_running: {
    status: 200,
    zh: '正在读取另一份用量',
    en: 'Another usage is being read',
  },
  report_csv: {
    status: 200,
    zh: 'CSV 文件无法读取：{reason}',
    en: 'The CSV file cannot be read: {reason}',
  },
} as const;
