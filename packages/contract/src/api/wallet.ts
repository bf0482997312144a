import { z } from 'zod';
import { pageOf, pageQuery } from '../envelope.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';

/**
 * States of an order at a payment provider (docs/compatibility.md#online-top-up). An expired one whose payment comes
 * late succeeds all the same.
 */
export const topUpStatuses = ['pending', 'success', 'expired', 'failed'] as const;

/** An order of quota, as its buyer sees it (docs/compatibility.md#online-top-up). */
export const topUpData = z.object({
  id: z.number().int(),
  user_id: z.number().int(),
  /** Bought, in whole US dollars. */
  amount: z.number().int(),
  /** Bought, in quota units; ours. */
  quota: z.number().int(),
  /** To be paid, in the currency of the payment gateway. */
  money: z.number(),
  trade_no: z.string(),
  /** `alipay` or `wxpay`. */
  payment_method: z.string(),
  /** Unix seconds. */
  create_time: z.number().int(),
  /** Unix seconds; 0 while pending. */
  complete_time: z.number().int(),
  status: z.enum(topUpStatuses),
});
export type TopUpData = z.output<typeof topUpData>;

/** Dollars, or quota units when amounts are shown as plain numbers (DisplayInCurrencyEnabled off). */
const amount = z.coerce.number('invalid_argument').int('invalid_argument').max(maxQuota, 'invalid_argument');
/** The original sends it along without a meaning; kept so that its bodies pass. */
const unused = z.string().max(255).default('');

/**
 * The wallet: docs/compatibility.md#online-top-up.
 * `amount` and `pay` do not answer the usual envelope but `{message: 'success' | 'error', data}` without `success`;
 * of an error `data` is the refusal in words (docs/compatibility.md#deliberate-differences).
 */
export const walletApi = {
  /** Redeems a code; answers the quota gained. */
  redeem: route('POST', '/api/user/topup', {
    access: 'user',
    input: z.object({ key: z.string().trim().max(128).default('') }),
    data: z.number().int(),
  }),
  /** The money to be paid for an amount, with two decimals: `"12.34"`. */
  amount: route('POST', '/api/user/amount', {
    access: 'user',
    input: z.object({ amount, top_up_code: unused }),
    data: z.string(),
  }),
  /** Opens an order: the fields of a form that the browser posts to `url`. */
  pay: route('POST', '/api/user/pay', {
    access: 'user',
    input: z.object({ amount, payment_method: z.string().max(64).default(''), top_up_code: unused }),
    data: z.record(z.string(), z.string()),
    extra: z.object({ url: z.string() }),
  }),
  /** The caller's orders, newest first; pages count from 1. */
  orders: route('GET', '/api/user/topup/self', {
    access: 'user',
    input: pageQuery,
    data: pageOf(topUpData),
  }),
};
