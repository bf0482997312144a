import { logQuota } from '@tollgate/contract';
import type { Settings } from '../settings/index.ts';

/** An amount in log texts and refusals, as the site shows amounts (wire-facts 6.7). */
export const amountWords = (settings: Pick<Settings, 'get'>, quota: number): string =>
  logQuota(quota, {
    inCurrency: settings.get('DisplayInCurrencyEnabled'),
    perUnit: settings.get('QuotaPerUnit'),
  });
