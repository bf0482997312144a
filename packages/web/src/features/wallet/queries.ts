import { autoTopUpApi, planApi, walletApi } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, callFile, callFull } from '../../lib/api/api-client.ts';
import { selfQuery } from '../../shared/self.ts';

/** Key of the orders of all users. */
export const ordersKey = ['top-ups'] as const;

/** The price of an amount from the site's payment gateway: `"12.34"`. */
export const priceQuery = (amount: number) =>
  queryOptions({
    queryKey: ['wallet', 'price', amount],
    queryFn: ({ signal }) => call(walletApi.amount, { amount, top_up_code: '' }, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });

export const ordersQuery = (page: number, pageSize: number) =>
  queryOptions({
    queryKey: ['wallet', 'orders', page, pageSize],
    queryFn: ({ signal }) => call(walletApi.orders, { p: page, page_size: pageSize }, { signal }),
    placeholderData: keepPreviousData,
  });

/** The invoice of an order or its credit note, as PDF; `ofAll` for administrators. */
export function readInvoice(
  asked: { trade_no: string; kind: 'invoice' | 'credit_note' },
  ofAll: boolean,
): Promise<Blob> {
  const input = { ...asked, format: 'pdf' as const };
  return ofAll ? callFile(walletApi.anyInvoice, input) : callFile(walletApi.invoice, input);
}

/** Plans on offer and the user's own. */
export const offersQuery = queryOptions({
  queryKey: ['wallet', 'plans'],
  queryFn: ({ signal }) => call(planApi.offers, {}, { signal }),
});

/** The user's automatic top-up. */
export const autoTopUpQuery = queryOptions({
  queryKey: ['wallet', 'auto-top-up'],
  queryFn: ({ signal }) => call(autoTopUpApi.get, {}, { signal }),
});

/** Redeems a code and returns the gained quota. */
export function useRedeem() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => call(walletApi.redeem, { key }),
    onSuccess: () => client.invalidateQueries({ queryKey: selfQuery.queryKey }),
    meta: { quiet: true },
  });
}

/** The price of an amount at Stripe. */
export const stripePriceQuery = (amount: number) =>
  queryOptions({
    queryKey: ['wallet', 'stripe-price', amount],
    queryFn: ({ signal }) => call(walletApi.stripeAmount, { amount }, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** Opens an order at Stripe and navigates to its page. */
export const usePayByStripe = () =>
  useMutation({
    mutationFn: (amount: number) => call(walletApi.stripePay, { amount }),
    onSuccess: ({ pay_link }) => window.location.assign(pay_link),
  });

export type PaymentMethod = 'zfb' | 'wx';

/** Opens an order and navigates to the page of the payment provider. */
export const usePay = () =>
  useMutation({
    mutationFn: ({ amount, method }: { amount: number; method: PaymentMethod }) =>
      callFull(walletApi.pay, { amount, payment_method: method, top_up_code: '' }),
    onSuccess: ({ data, extra }) => postForm(extra.url, data),
  });

/** Navigates to another site by posting a form, as payment providers require. */
function postForm(url: string, fields: Record<string, string>): void {
  const form = document.createElement('form');
  form.method = 'POST';
  form.action = url;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}
