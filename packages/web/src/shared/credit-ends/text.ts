import { texts } from '../../lib/i18n.ts';

export const text = texts({
  line: { zh: '其中 {money} 有效期至 {date}（{source}）', en: '{money} of it until {date} ({source})' },
  more: {
    zh: '另有 {count} 笔有到期时间',
    en: { one: 'and {count} more with an end', other: 'and {count} more with an end' },
  },
  topup: { zh: '充值', en: 'Top-up' },
  stripe: { zh: 'Stripe 充值', en: 'Top-up by Stripe' },
  redeem: { zh: '兑换码', en: 'Code' },
  gift: { zh: '赠送', en: 'Gift' },
  invite: { zh: '邀请奖励', en: 'Invitation' },
  admin: { zh: '管理员', en: 'Administrator' },
  import: { zh: '迁入', en: 'Moved in' },
  refund: { zh: '退款', en: 'Refund' },
  plan: { zh: '套餐', en: 'Plan' },
  balance: { zh: '此前的余额', en: 'Earlier balance' },
});
