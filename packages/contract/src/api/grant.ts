import { z } from 'zod';
import { route } from '../route.ts';
import { teamRole } from '../roles.ts';
import { whole } from '../whole.ts';
import { meanings } from '../meanings.ts';

/** Where credit came from; `balance` is what was there before credit had a source. */
export const grantSources = [
  'topup',
  'stripe',
  'redeem',
  'gift',
  'invite',
  'admin',
  'import',
  'refund',
  'balance',
  'plan',
] as const;

const grantData = z.object({
  id: z.number().int().meta({ zh: '额度的 ID', en: 'Id of the credit' }),
  source: z.string().meta({ ...meanings.creditSource, example: 'redeem' }),
  amount: z
    .number()
    .int()
    .meta({ zh: '发放的额度单位', en: 'Quota units that were given', example: 500_000 }),
  left: z.number().int().meta({ zh: '剩余的额度单位', en: 'Quota units that are left', example: 200_000 }),
  paid: z.number().meta({
    zh: '剩余部分对应的支付金额，支付所用货币；赠送为 0',
    en: 'What was paid for the rest, in the currency of the payment; 0 for a gift',
    example: 7.3,
  }),
  refundable: z.boolean().meta({ zh: '剩余部分可以退款', en: 'Whether the rest can be paid back' }),
  expires_time: z.number().int().meta(meanings.secondsOrForever),
  created_time: z.number().int().meta(meanings.secondsOrNone),
});
export type GrantData = z.output<typeof grantData>;

/** The credit in a wallet, in the order of use. The sum of `left` is the balance. */
const walletGrants = z.object({
  balance: z.number().int().meta(meanings.quota),
  grants: z.array(grantData).meta({ zh: '按使用顺序排列的额度', en: 'The credit in the order of use' }),
});
export type WalletGrantsData = z.output<typeof walletGrants>;

/** What the site owes for credit of a source. `left` is `bought` and `given`. */
const liabilityRow = z.object({
  source: z.string().meta({ ...meanings.creditSource, example: 'topup' }),
  left: z
    .number()
    .int()
    .meta({ zh: '尚未使用的额度单位', en: 'Quota units that are not used yet', example: 900_000 }),
  bought: z
    .number()
    .int()
    .meta({ zh: '其中付费购买的额度单位', en: 'Quota units of it that were paid for', example: 900_000 }),
  given: z.number().int().meta({ zh: '其中赠送的额度单位', en: 'Quota units of it that were given' }),
  paid: z.number().meta({
    zh: '购买部分对应的支付金额，支付所用货币',
    en: 'What was paid for the part that was bought, in the currency of the payment',
    example: 13.14,
  }),
  refundable: z
    .number()
    .int()
    .meta({ zh: '其中可退款的额度单位', en: 'Quota units of it that can be refunded', example: 900_000 }),
  expiring: z
    .number()
    .int()
    .meta({ zh: '其中 30 天内到期的额度单位', en: 'Quota units of it that expire within 30 days' }),
});
export type LiabilityRow = z.output<typeof liabilityRow>;

const liabilities = z.object({
  rows: z.array(liabilityRow).meta(meanings.rows),
  balance: z
    .number()
    .int()
    .meta({ zh: '所有余额之和，额度单位', en: 'Sum of all balances, in quota units', example: 900_000 }),
  wallets: z.number().int().meta({ zh: '有余额的钱包数', en: 'Wallets with a balance', example: 2 }),
});
export type LiabilitiesData = z.output<typeof liabilities>;

const id = (meaning: typeof meanings.userId | typeof meanings.organisationId) =>
  z.object({ id: whole(1, Number.MAX_SAFE_INTEGER).meta(meaning) });

/** The credit that wallets are made of (docs/money.md#grants). */
export const grantApi = {
  own: route('GET', '/api/user/self/grants', {
    summary: {
      zh: '列出自己余额的来源与到期时间',
      en: 'List sources and ends of the credit in one’s own balance',
    },
    access: 'user',
    input: z.object({}),
    data: walletGrants,
  }),
  ofUser: route('GET', '/api/user/:id/grants', {
    summary: { zh: '列出用户余额的来源与到期时间', en: 'List sources and ends of the credit of a user' },
    access: 'root',
    errors: ['user_not_found'],
    example: { id: 2 },
    input: id(meanings.userId),
    data: walletGrants,
  }),
  /** The sum of `left` is the sum of all balances. */
  liabilities: route('GET', '/api/user/topup/liabilities', {
    summary: { zh: '按来源汇总站点欠用户的额度', en: 'Sum up what the site owes its users, by source' },
    access: 'root',
    input: z.object({}),
    data: liabilities,
  }),
  ofTeam: route('GET', '/api/team/:id/grants', {
    summary: {
      zh: '列出组织余额的来源与到期时间',
      en: 'List sources and ends of the credit of an organisation',
    },
    access: 'user',
    teamRole: teamRole.manager,
    example: { id: 1 },
    input: id(meanings.organisationId),
    data: walletGrants,
  }),
};
