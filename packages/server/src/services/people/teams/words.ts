import { logQuota } from '@tollgate/contract';
import type { Settings } from '../../site/settings/index.ts';

/** An amount in log texts and error messages, as the site shows amounts (docs/compatibility.md#amount-text). */
export const amountWords = (settings: Pick<Settings, 'get'>, quota: number): string =>
  logQuota(quota, {
    inCurrency: settings.get('DisplayInCurrencyEnabled'),
    perUnit: settings.get('QuotaPerUnit'),
  });
