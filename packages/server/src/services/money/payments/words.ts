import { logQuota } from '@tollgate/contract';
import type { Settings } from '../../site/settings/index.ts';

/** Formats an amount of quota for log rows (docs/compatibility.md#amount-text). */
export const shownQuota = (quota: number, settings: Pick<Settings, 'get'>): string =>
  logQuota(quota, {
    inCurrency: settings.get('DisplayInCurrencyEnabled'),
    perUnit: settings.get('QuotaPerUnit'),
  });
