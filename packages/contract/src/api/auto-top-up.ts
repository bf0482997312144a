import { z } from 'zod';
import { route } from '../route.ts';
import { whole } from '../whole.ts';

const maxDollars = 100_000;
const dollars = (zh: string, en: string, example: number) => whole(1, maxDollars).meta({ zh, en, example });
const terms = {
  enabled: z.boolean().meta({ zh: '已启用', en: 'True if it is on' }),
  below: dollars('余额低于这么多美元时充值', 'It tops up when the balance is below so many dollars', 5),
  amount: dollars('每次充值的美元数', 'US dollars of each top-up', 20),
  month_limit: dollars('每个自然月（UTC）最多充值的美元数', 'Most US dollars in a calendar month (UTC)', 100),
};

const autoTopUpData = z.object({
  ...terms,
  available: z.boolean().meta({ zh: '站点支持自动充值', en: 'True if the site offers it' }),
  card: z
    .string()
    .meta({ zh: '已保存的支付方式；空为没有', en: 'The saved card; empty for none', example: 'visa 4242' }),
  charged: z
    .number()
    .int()
    .meta({ zh: '本月已充值的美元数', en: 'US dollars of this month so far', example: 40 }),
  problem: z.string().meta({
    zh: '上次失败的原因：declined 被拒，authentication 需要验证；空为没有',
    en: 'Why the last one failed: `declined`, or `authentication` if the bank wants its customer; empty if it did not',
    example: 'declined',
  }),
});
export type AutoTopUpData = z.output<typeof autoTopUpData>;

/** Top-ups without their buyer, when a balance runs low (docs/how-to/payments-and-notices.md). */
export const autoTopUpApi = {
  get: route('GET', '/api/user/auto_topup', {
    summary: { zh: '读取自己的自动充值', en: 'Read one’s own automatic top-up' },
    access: 'user',
    input: z.object({}),
    data: autoTopUpData,
  }),
  set: route('PUT', '/api/user/auto_topup', {
    summary: { zh: '修改自己的自动充值', en: 'Change one’s own automatic top-up' },
    audit: 'self.auto_topup',
    access: 'user',
    errors: [
      'auto_topup_no_card',
      'auto_topup_limit',
      'topup_below_minimum',
      'topup_too_cheap',
      'payment_not_configured',
    ],
    example: { enabled: false, below: 5, amount: 20, month_limit: 100 },
    input: z.object(terms),
    data: z.null(),
  }),
  /** Opens Stripe's page that saves a card. */
  card: route('POST', '/api/user/auto_topup/card', {
    summary: {
      zh: '保存银行卡，返回 Stripe 页面的地址',
      en: 'Save a card; answers the address of Stripe’s page',
    },
    audit: 'self.auto_topup',
    access: 'user',
    errors: ['payment_not_configured', 'payment_start_failed'],
    input: z.object({}),
    data: z.object({
      pay_link: z.string().meta({
        zh: '页面的地址',
        en: 'Address of the page',
        example: 'https://checkout.stripe.com/c/pay/cs_test',
      }),
    }),
  }),
  /** Forgets the card, and ends automatic top-up. */
  removeCard: route('DELETE', '/api/user/auto_topup/card', {
    summary: { zh: '移除银行卡并停用自动充值', en: 'Remove the card, and end automatic top-up' },
    audit: 'self.auto_topup',
    access: 'user',
    input: z.object({}),
    data: z.null(),
  }),
};
