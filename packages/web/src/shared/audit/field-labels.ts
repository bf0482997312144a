import { type AuditData, fieldName, hasFieldName, userStatus } from '@tollgate/contract';
import { formatMoney, type QuotaDisplay } from '../../lib/format/number-format.ts';

import { type Translate, texts } from '../../lib/i18n.ts';
import { roleWords } from '../role-tag.tsx';

type Value = AuditData['note'][string];

/** Details of rows, and fields with other labels than in the console's forms. */
const own = texts({
  amount: { zh: '变动', en: 'Moved' },
  bindings: { zh: '绑定数', en: 'Bindings' },
  before: { zh: '早于', en: 'Before' },
  code: { zh: '代码', en: 'Code' },
  count: { zh: '数量', en: 'Number' },
  in: { zh: '转入', en: 'Moved in' },
  kept: { zh: '保留密钥', en: 'Key kept' },
  limit_period: { zh: '上限周期', en: 'Limit' },
  limit_quota: { zh: '上限额度', en: 'Limited to' },
  out: { zh: '转出', en: 'Moved out' },
  provider: { zh: '登录方式', en: 'Provider' },
  reason: { zh: '原因', en: 'Reason' },
  rows: { zh: '行数', en: 'Rows' },
  second: { zh: '第二步', en: 'Second step' },
  sessions: { zh: '会话数', en: 'Sessions' },
  subject: { zh: '第三方账户', en: 'Account there' },
  what: { zh: '方式', en: 'What' },
});

const choices = texts({
  enabled: { zh: '已激活', en: 'active' },
  banned: { zh: '已封禁', en: 'banned' },
  yes: { zh: '是', en: 'yes' },
  no: { zh: '否', en: 'no' },
  total: { zh: '总计', en: 'in all' },
  month: { zh: '每月', en: 'per month' },
});

/** Fields in quota units. */
const amounts: ReadonlySet<string> = new Set([
  'amount',
  'in',
  'limit_quota',
  'out',
  'quota',
  'remain_quota',
  'used_quota',
]);

/** Label of a row's field; a setting or an unknown field has its name. */
export function fieldLabel(name: string, t: Translate): string {
  if (Object.hasOwn(own, name)) return t(own[name as keyof typeof own]);
  return hasFieldName(name) ? t(fieldName(name)) : name;
}

/** Text of a field's value: amounts as money, states and roles of users as words; '' for none. */
export function valueLabel(
  [name, value]: readonly [name: string, value: Value],
  { target, t, display }: { target: string; t: Translate; display: QuotaDisplay },
): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return t(value ? choices.yes : choices.no);
  if (typeof value === 'number') {
    if (amounts.has(name)) return formatMoney(value, display);
    if (target === 'user' && name === 'role') return t(roleWords(value));
    if (target === 'user' && name === 'status')
      return t(value === userStatus.enabled ? choices.enabled : choices.banned);
  }
  if (name === 'limit_period' && (value === 'total' || value === 'month')) return t(choices[value]);
  return String(value);
}
