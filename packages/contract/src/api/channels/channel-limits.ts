import { z } from 'zod';
import { decimal, whole } from '../../whole.ts';

const most = 1_000_000_000;

/** Limits of the calls with one key of a channel; 0 or absent for none. */
export const keyLimits = z.strictObject({
  requests_per_minute: whole(0, most).optional().meta({ zh: '每分钟请求数', en: 'Requests a minute' }),
  tokens_per_minute: whole(0, most).optional().meta({ zh: '每分钟 Token 数', en: 'Tokens a minute' }),
  calls_at_once: whole(0, most).optional().meta({ zh: '同时进行的调用数', en: 'Calls at once' }),
  dollars_per_day: decimal(z.number().min(0).max(most))
    .optional()
    .meta({ zh: '每天（UTC）花费的美元', en: 'Dollars spent a day (UTC)' }),
});
export type KeyLimits = z.output<typeof keyLimits>;

/** Limits of all calls on a channel, as the member `limits` of its `setting`. */
export const channelLimits = keyLimits.extend({
  wait_seconds: whole(0, 60).optional(),
});
