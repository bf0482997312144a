/** Refusals of the reconciliation with vendors. */
export const reconciliationErrors = {
  report_key_missing: {
    status: 200,
    zh: '所选渠道没有管理密钥，请先保存厂商的管理密钥',
    en: 'None of these channels has an administration key: keep one first',
  },
  report_span: {
    status: 200,
    zh: '时间范围不可用：最多 {days} 天，且不能在未来',
    en: 'This span of time cannot be read: {days} days at most, and none in the future',
  },
  report_running: {
    status: 200,
    zh: '正在读取另一份用量，请等待它结束或先停止它',
    en: 'Another usage is being read: wait for its end or stop it first',
  },
  report_fetch_gone: {
    status: 200,
    zh: '该读取不存在或已被停止',
    en: 'There is no such reading, or it was stopped',
  },
  report_not_found: {
    status: 404,
    zh: '用量报告不存在',
    en: 'There is no such report',
  },
  report_csv: {
    status: 200,
    zh: 'CSV 文件无法读取：{reason}',
    en: 'The CSV file cannot be read: {reason}',
  },
  report_csv_row: {
    status: 200,
    zh: '第 {row} 行的“{column}”列无法读取：{value}',
    en: 'Row {row}, column “{column}” cannot be read: {value}',
  },
  report_empty: {
    status: 200,
    zh: '文件中没有用量行',
    en: 'The file has no row of usage',
  },
} as const;
