import { texts } from '../../../lib/i18n.ts';

export const monthText = texts({
  title: { zh: '如果本月都用这个模型', en: 'This month with this model' },
  hint: {
    zh: '用计费函数重新计算本月（UTC）同类调用的用量；不会更改任何数据。',
    en: 'What this month’s calls (UTC) of the same kind would cost; nothing is changed.',
  },
  own: { zh: '我的用量', en: 'My usage' },
  site: { zh: '全站用量', en: 'Usage of the whole site' },
  ask: { zh: '计算', en: 'Calculate' },
  charged: { zh: '实际收费', en: 'Charged' },
  wouldBe: { zh: '用此模型', en: 'With this model' },
  difference: { zh: '差额', en: 'Difference' },
  withEach: { zh: '如果本月都用其中一个', en: 'This month with each of them' },
  calls: { zh: '{count} 次调用', en: { one: '{count} call', other: '{count} calls' } },
  leftOut: {
    zh: '另有 {count} 次调用未计入：类型不同，或记录不足以重新计价',
    en: {
      one: '{count} call is left out: of another kind, or its row does not say enough',
      other: '{count} calls are left out: of another kind, or their rows do not say enough',
    },
  },
  incomplete: {
    zh: '本月调用过多，仅计算了最早的部分',
    en: 'Too many calls this month; only the earliest are included',
  },
});
