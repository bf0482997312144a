import type { Channel, BalanceSource } from '../../types/index.ts';
import { bearer } from '../../provider-kit/index.ts';
import { isObject } from '../../../lib/json.ts';

/**
 * The number at a path of an answer, also if the vendor writes it as text; NaN without one: an answer without a number
 * must not look like an empty account, which would switch the channel off.
 */
function numberAt(body: unknown, ...path: string[]): number {
  let value: unknown = body;
  for (const key of path) value = isObject(value) ? value[key] : undefined;
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : NaN;
}

/** A balance from one GET. */
const oneCall = (
  path: string,
  read: (body: unknown) => number,
  headers: (channel: Channel) => Record<string, string> = bearer,
): BalanceSource => ({
  next: (channel, answers) =>
    answers.length > 0
      ? null
      : { url: path.includes('://') ? path : channel.baseUrl + path, headers: headers(channel) },
  read: ([body]) => read(body),
});

const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const dayMs = 86_400_000;

/** OpenAI's own two calls: the limit, then the used part of it (docs/compatibility.md#automatic-disabling). */
export const openaiBalance: BalanceSource = {
  next(channel, answers, nowMs) {
    const headers = bearer(channel);
    const billing = `${channel.baseUrl}/v1/dashboard/billing`;
    if (answers.length === 0) return { url: `${billing}/subscription`, headers };
    if (answers.length > 1) return null;
    // With a payment method the limit is monthly; without one it is the rest of a grant.
    const [subscription] = answers;
    const isMonthly = isObject(subscription) && subscription.has_payment_method === true;
    const start = isMonthly ? `${date(nowMs).slice(0, 8)}01` : date(nowMs - 100 * dayMs);
    return { url: `${billing}/usage?start_date=${start}&end_date=${date(nowMs + dayMs)}`, headers };
  },
  read: ([subscription, usage]) =>
    numberAt(subscription, 'hard_limit_usd') - numberAt(usage, 'total_usage') / 100,
};

/** Resellers that report the rest of a grant, under various names. */
export const creditGrants = (field: string): BalanceSource =>
  oneCall('/dashboard/billing/credit_grants', (body) => numberAt(body, field));

/** AI Proxy has its accounts on another host than its API. */
export const aiproxyAccounts = 'https://aiproxy.io';

export const aiproxyBalance = oneCall(
  `${aiproxyAccounts}/api/report/getUserOverview`,
  (body) => numberAt(body, 'data', 'totalPoints'),
  (channel) => ({ 'api-key': channel.key }),
);

export const openrouterBalance = oneCall(
  '/v1/credits',
  (body) => numberAt(body, 'data', 'total_credits') - numberAt(body, 'data', 'total_usage'),
);

export const siliconflowBalance = oneCall('/v1/user/info', (body) => numberAt(body, 'data', 'totalBalance'));

/** In yuan. */
export const moonshotBalance = oneCall('/v1/users/me/balance', (body) =>
  numberAt(body, 'data', 'available_balance'),
);

/** In yuan: the entry of that currency. */
export const deepseekBalance = oneCall('/user/balance', (body) => {
  const entries = isObject(body) && Array.isArray(body.balance_infos) ? body.balance_infos : [];
  return numberAt(
    entries.find((entry) => isObject(entry) && entry.currency === 'CNY'),
    'total_balance',
  );
});
