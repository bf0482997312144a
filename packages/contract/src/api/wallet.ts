import { z } from 'zod';
import { pageOf, pageQuery } from '../envelope.ts';
import { maxQuota } from '../quota.ts';
import { whole } from '../whole.ts';
import { route } from '../route.ts';
import { meanings } from '../meanings.ts';

/**
 * States of an order at a payment provider (docs/compatibility.md#online-top-up). Late payments of expired orders are
 * credited.
 */
export const topUpStatuses = ['pending', 'success', 'expired', 'failed', 'refunded'] as const;

/** A quota order, as its buyer sees it (docs/compatibility.md#online-top-up). */
export const topUpData = z.object({
  id: z.number().int().meta({ zh: '订单 ID', en: 'Id of the order' }),
  user_id: z.number().int().meta(meanings.userId),
  amount: z.number().int().meta({ zh: '购买的美元数', en: 'US dollars that were bought', example: 10 }),
  /** Tollgate extension. */
  quota: z.number().int().meta(meanings.quota),
  money: z
    .number()
    .meta({ zh: '应付金额，支付所用货币', en: 'What is paid, in the currency of the payment', example: 73 }),
  trade_no: z.string().meta({ zh: '订单号', en: 'Number of the order' }),
  payment_method: z.string().meta({ ...meanings.paymentMethod, example: 'alipay' }),
  create_time: z.number().int().meta(meanings.seconds),
  complete_time: z
    .number()
    .int()
    .meta({ zh: '完成时间，Unix 秒；0 表示未完成', en: 'Unix seconds of the completion; 0 while open' }),
  status: z.enum(topUpStatuses).meta({ zh: '订单的状态', en: 'State of the order' }),
  /** Tollgate extension. */
  team_id: z.number().int().meta(meanings.teamId),
  /** Tollgate extension. */
  currency: z.string().meta({
    zh: '支付所用货币的代码，小写；空为易支付的货币',
    en: 'Code of the currency of the payment, in lower case; empty for that of epay',
    example: 'usd',
  }),
  /** Tollgate extension. */
  invoice: z.string().meta({
    zh: '发票的编号；没有为空',
    en: 'Number of its invoice; empty for none',
    example: '2026-000001',
  }),
  /** Tollgate extension. */
  credit_note: z.string().meta({
    zh: '退款的贷项通知单的编号；没有为空',
    en: 'Number of the credit note of its refund; empty for none',
    example: '',
  }),
  /** Tollgate extension. */
  refunded: z.number().int().meta({
    zh: '退款时收回的额度单位；未退款为 0',
    en: 'Quota units that a refund took back; 0 without one',
  }),
});
export type TopUpData = z.output<typeof topUpData>;

/** A quota order, as administrators see it. */
export const userTopUp = topUpData.extend({
  /** Tollgate extension. Empty if the account is deleted. */
  username: z.string().meta(meanings.username),
});
export type UserTopUp = z.output<typeof userTopUp>;

/** US dollars, or quota units if amounts are shown as plain numbers (DisplayInCurrencyEnabled off). */
const amount = whole(-maxQuota, maxQuota, 'invalid_argument').meta({
  zh: '美元；以额度单位显示金额的站点为额度单位',
  en: 'US dollars, or quota units where the site shows amounts as such',
});
/**
 * Team whose wallet is filled; the caller must be its manager or owner. 0 for the caller's own wallet (Tollgate
 * extension).
 */
const team = whole(0, Number.MAX_SAFE_INTEGER).default(0);
/** Unused field in requests of the original, accepted for compatibility. */
const unused = z.string().max(255).default('');

/** A numbered document about an order. */
const askedInvoice = z.object({
  trade_no: z.string().trim().min(1).max(255).meta({ zh: '订单号', en: 'Number of the order' }),
  kind: z.enum(['invoice', 'credit_note']).default('invoice').meta({
    zh: 'invoice 为发票，credit_note 为退款的贷项通知单',
    en: '`invoice`, or `credit_note` for that of a refund',
  }),
  format: z
    .enum(['json', 'pdf'])
    .default('json')
    .meta({ zh: 'pdf 返回可打印的文件', en: '`pdf` for a printable file' }),
});
/** What an invoice or a credit note says; it never changes. */
const invoiceData = z.object({
  number: z.string().meta({ zh: '编号', en: 'Its number', example: '2026-000001' }),
  date: z.string().meta({ zh: '日期', en: 'Its date', example: '2026-11-30' }),
  about: z.string().meta({
    zh: '贷项通知单所针对的发票的编号；发票为空',
    en: 'Number of the invoice that a credit note is about; empty for an invoice',
    example: '',
  }),
  seller: z.string().meta({ zh: '卖方名称', en: 'Name of the seller', example: 'Example Ltd' }),
  seller_address: z.string().meta({ zh: '卖方地址', en: 'Address of the seller', example: '1 Main Street' }),
  seller_tax_id: z.string().meta({ zh: '卖方税号；没有为空', en: 'Tax id of the seller; empty for none' }),
  buyer: z.string().meta({ zh: '买方名称', en: 'Name of the buyer', example: 'alice' }),
  buyer_email: z.string().meta({ zh: '买方邮箱；没有为空', en: 'E-mail of the buyer; empty for none' }),
  trade_no: z.string().meta({ zh: '订单号', en: 'Number of the order' }),
  quota: z.number().int().meta(meanings.quota),
  money: z.string().meta({ zh: '不含税款的金额', en: 'Amount without the taxes', example: '7.30' }),
  tax: z.string().meta({ zh: '另付的税款；没有为空', en: 'Taxes on top; empty for none', example: '' }),
  currency: z.string().meta({
    zh: '货币代码，小写；空为易支付的货币',
    en: 'Code of the currency, in lower case; empty for that of epay',
    example: 'usd',
  }),
});
export type InvoiceData = z.output<typeof invoiceData>;
const invoiceExample = { trade_no: 'USR2NOinvoice1764288000' };

/** Refusals of an order, at any provider. */
const orderErrors = [
  'payment_not_configured',
  'topup_below_minimum',
  'topup_too_cheap',
  'invalid_argument',
  'payment_start_failed',
  'order_creation_failed',
  'team_not_found',
  'team_role_insufficient',
] as const;

/**
 * The wallet: docs/compatibility.md#online-top-up. `amount` and `pay` do not use the usual envelope. They return
 * `{message: 'success' | 'error', data}` without `success`; for an error, `data` is the error text
 * (docs/compatibility.md#deliberate-differences).
 */
export const walletApi = {
  /** Redeems a code. Returns the added quota. */
  redeem: route('POST', '/api/user/topup', {
    summary: { zh: '使用兑换码，返回获得的额度', en: 'Redeem a code; answers the quota gained' },
    access: 'user',
    errors: [
      'redeem_code_missing',
      'redeem_code_invalid',
      'redeem_code_used',
      'redeem_code_expired',
      'redeem_too_many_guesses',
    ],
    example: { key: '0123456789abcdef0123456789abcdef' },
    input: z.object({
      key: z.string().trim().max(128).default('').meta({ zh: '兑换码', en: 'The redemption code' }),
    }),
    data: z
      .number()
      .int()
      .meta({ zh: '获得的额度单位', en: 'Quota units that were gained', example: 500_000 }),
  }),
  /** Price of an amount as text with two decimals, such as `"12.34"`. */
  amount: route('POST', '/api/user/amount', {
    summary: { zh: '计算充值数量对应的支付金额', en: 'Tell what an amount costs, with two decimals' },
    access: 'user',
    demo: true,
    errors: ['topup_below_minimum', 'topup_too_cheap', 'invalid_argument'],
    example: { amount: 10 },
    input: z.object({ amount, top_up_code: unused.meta({ zh: '优惠码', en: 'Discount code' }) }),
    data: z.string(),
    bare: 'message',
  }),
  /** Creates an order. Returns the fields of a form that the browser posts to `url`. */
  pay: route('POST', '/api/user/pay', {
    summary: {
      zh: '创建支付订单，返回提交给支付网关的表单',
      en: 'Open an order; answers the form to post to the payment gateway',
    },
    access: 'user',
    errors: orderErrors,
    example: { amount: 10, payment_method: 'zfb' },
    input: z.object({
      amount,
      payment_method: z.string().max(64).default('').meta(meanings.paymentMethod),
      top_up_code: unused.meta({ zh: '优惠码', en: 'Discount code' }),
      team_id: team.meta(meanings.teamId),
    }),
    data: z.record(z.string(), z.string()),
    extra: z.object({
      url: z.string().meta({
        zh: '支付页面的地址',
        en: 'Address of the payment page',
        example: 'https://pay.example/submit.php',
      }),
    }),
    bare: 'message',
  }),
  /** Price of an amount at Stripe, as text with two decimals. */
  stripeAmount: route('POST', '/api/user/stripe/amount', {
    summary: {
      zh: '计算通过 Stripe 充值的支付金额',
      en: 'Tell what an amount costs at Stripe, with two decimals',
    },
    access: 'user',
    demo: true,
    errors: ['payment_not_configured', 'topup_below_minimum', 'topup_too_cheap', 'invalid_argument'],
    example: { amount: 10 },
    input: z.object({ amount }),
    data: z.string(),
    bare: 'message',
  }),
  /** Creates an order. Returns the address of Stripe's page that pays it. */
  stripePay: route('POST', '/api/user/stripe/pay', {
    summary: {
      zh: '创建 Stripe 支付订单，返回支付页面的地址',
      en: 'Open an order at Stripe; answers the address of its payment page',
    },
    access: 'user',
    errors: orderErrors,
    example: { amount: 10, payment_method: 'stripe' },
    input: z.object({
      amount,
      payment_method: z.enum(['stripe']).default('stripe').meta(meanings.paymentMethod),
      team_id: team.meta(meanings.teamId),
    }),
    data: z.object({
      pay_link: z.string().meta({
        zh: '支付页面的地址',
        en: 'Address of the payment page',
        example: 'https://checkout.stripe.com/c/pay/cs_test',
      }),
    }),
    bare: 'message',
  }),
  /** The caller's orders, newest first. Pages count from 1. */
  orders: route('GET', '/api/user/topup/self', {
    summary: { zh: '列出自己的充值订单', en: 'List one’s own orders' },
    access: 'user',
    example: { p: 1, page_size: 10 },
    input: pageQuery,
    data: pageOf(topUpData),
  }),
  /** Orders of all users, newest first. */
  allOrders: route('GET', '/api/user/topup', {
    summary: { zh: '列出所有用户的充值订单', en: 'List the orders of all users' },
    access: 'admin',
    example: { p: 1, page_size: 10 },
    input: pageQuery.extend({
      keyword: z
        .string()
        .trim()
        .max(128)
        .default('')
        .meta({ zh: '订单号或用户名', en: 'Number of the order, or the username' }),
      status: z
        .enum(['', ...topUpStatuses])
        .catch('')
        .default('')
        .meta({ zh: '订单的状态；空为全部', en: 'State of the orders; empty for all' }),
    }),
    data: pageOf(userTopUp),
  }),
  /** The invoice of one's own order, or its credit note. */
  invoice: route('GET', '/api/user/topup/self/invoice', {
    summary: { zh: '读取自己订单的发票', en: 'Read the invoice of one’s own order' },
    access: 'user',
    errors: ['row_not_found', 'server_busy'],
    example: invoiceExample,
    input: askedInvoice,
    data: invoiceData,
  }),
  /** The same of any order. */
  anyInvoice: route('GET', '/api/user/topup/invoice', {
    summary: { zh: '读取任意订单的发票', en: 'Read the invoice of any order' },
    access: 'admin',
    errors: ['row_not_found', 'server_busy'],
    example: invoiceExample,
    input: askedInvoice,
    data: invoiceData,
  }),
  /**
   * Takes what is left of a credited order from its wallet. An order at Stripe is paid back there at once; for others
   * this is bookkeeping only, and the payment is refunded at the provider.
   * Returns what was taken, and its share of the price. Repeated calls change nothing and return the same.
   */
  refund: route('POST', '/api/user/topup/refund', {
    summary: {
      zh: '收回一笔充值的剩余额度；Stripe 的支付随即退还，其他支付由站点在支付平台退还',
      en: 'Take back what is left of a top-up; Stripe pays it back at once, others are refunded at their provider',
    },
    audit: 'topup.refund',
    access: 'root',
    errors: [
      'order_not_found',
      'order_not_refundable',
      'order_used_up',
      'order_held',
      'refund_not_paid',
      'payment_not_configured',
    ],
    example: { trade_no: 'USR2NOrefund1764288000', reason: 'wrong amount' },
    reauthenticate: 'with-factor',
    input: z.object({
      trade_no: z.string().trim().min(1).max(255).meta({ zh: '订单号', en: 'Number of the order' }),
      reason: z.string().trim().min(1).max(255).meta({ zh: '退款的原因', en: 'Why it is refunded' }),
    }),
    data: z.object({
      quota: z
        .number()
        .int()
        .meta({ zh: '收回的额度单位', en: 'Quota units that were taken', example: 500_000 }),
      money: z.number().meta({
        zh: '应退还的金额，支付所用货币；Stripe 的支付已退还',
        en: 'To be paid back at the provider, in the currency of the payment; Stripe has done so',
        example: 7.3,
      }),
    }),
  }),
  /** Credits an order without a payment report from the provider. Repeated calls credit it only once. */
  complete: route('POST', '/api/user/topup/complete', {
    summary: { zh: '手动完成充值订单', en: 'Complete an order by hand' },
    audit: 'topup.complete',
    access: 'admin',
    errors: ['order_not_found', 'order_not_payable'],
    example: { trade_no: 'USR2NOabcdef1764288000' },
    reauthenticate: 'with-factor',
    input: z.object({
      trade_no: z.string().trim().min(1).max(255).meta({ zh: '订单号', en: 'Number of the order' }),
    }),
    data: z.null(),
  }),
};
