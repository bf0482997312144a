import { texts } from '../../lib/i18n.ts';

export const text = texts({
  title: { zh: '账单', en: 'Statement' },
  hint: { zh: '{holder}，月份按 {zone} 计算。', en: '{holder}, with months of {zone}.' },
  month: { zh: '月份', en: 'Month' },
  csv: { zh: '下载 CSV', en: 'Download CSV' },
  pdf: { zh: '下载 PDF', en: 'Download PDF' },
  signed: { zh: '下载签名收据', en: 'Download signed receipts' },
  noCalls: { zh: '这个月没有收费的调用。', en: 'No calls were charged this month.' },
  mail: { zh: '每月以邮件发送此账单', en: 'Mail me this statement each month' },
  mailHint: {
    zh: '月份结束后发送一次，附 PDF 和 CSV 文件。',
    en: 'Sent once after the end of each month, as PDF and CSV.',
  },
  mailOn: { zh: '今后每月发送账单', en: 'The statement will come each month' },
  mailOff: { zh: '不再发送账单', en: 'The statement will not be mailed' },
});
