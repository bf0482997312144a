import { texts } from '../../../lib/i18n.ts';

export const importText = texts({
  open: { zh: '导入成员', en: 'Import members' },
  short: { zh: '导入', en: 'Import' },
  openOf: { zh: '向“{name}”导入成员', en: 'Import members into “{name}”' },
  hint: {
    zh: '每行一名成员；grant 是到结束日期为止可用的预算，以美元计，由组织钱包支付。',
    en: 'One member per row; a grant is a budget in dollars until its date, paid from the wallet.',
  },
  ownHint: {
    zh: '非成员会收到邀请，并在加入时获得文件中的预算。',
    en: 'Others are invited, and get the budgets of the file when they join.',
  },
  rootHint: {
    zh: '现有用户直接加入，未知用户会被创建；其密码仅显示一次。',
    en: 'Users are added, and unknown ones created; their passwords are shown only once.',
  },
  template: { zh: '下载模板', en: 'Download template' },
  choose: { zh: '选择 CSV 文件', en: 'Choose a CSV file' },
  label: { zh: '各行结果', en: 'Results by row' },
  line: { zh: '行', en: 'Line' },
  user: { zh: '用户', en: 'User' },
  result: { zh: '结果', en: 'Result' },
  created: { zh: '创建并加入', en: 'Created' },
  added: { zh: '加入', en: 'Added' },
  invited: { zh: '邀请', en: 'Invited' },
  changed: { zh: '修改', en: 'Changed' },
  unchanged: { zh: '无变化', en: 'No change' },
  error: { zh: '错误', en: 'Error' },
  preview: { zh: '预览：尚未作任何更改。', en: 'Preview: nothing has changed yet.' },
  sums: { zh: '{changes} 行将更改，{errors} 行有错误', en: '{changes} rows change, {errors} have errors' },
  done: { zh: '{changes} 行已导入，{errors} 行有错误', en: '{changes} rows imported, {errors} had errors' },
  apply: { zh: '导入 {count} 行', en: { one: 'Import {count} row', other: 'Import {count} rows' } },
  progress: {
    zh: '已完成 {done}/{count} 行',
    en: { one: '{done} of {count} row done', other: '{done} of {count} rows done' },
  },
  save: { zh: '下载结果', en: 'Download results' },
  saveHint: {
    zh: '结果中的密码和邀请链接仅此一次可见，请立即下载。',
    en: 'Passwords and invitation links are shown only now: download the results.',
  },
  close: { zh: '关闭', en: 'Close' },
  empty: { zh: '文件没有成员', en: 'The file has no members' },
  tooMany: { zh: '最多 {max} 行', en: 'At most {max} rows' },
  columnUnknown: { zh: '未知的列“{column}”', en: 'Unknown column “{column}”' },
  columnMissing: { zh: '需要 username 或 email 列', en: 'A column username or email is needed' },
  roleWrong: { zh: '角色应为 member 或 manager', en: 'The role must be member or manager' },
  amountWrong: {
    zh: '{column} 应为不小于 0 的美元金额',
    en: '{column} must be dollars of zero or more',
  },
  dateWrong: {
    zh: 'grant 需要结束日期 grant_until，例如 2027-01-31',
    en: 'A grant needs its last day in grant_until, such as 2027-01-31',
  },
});
