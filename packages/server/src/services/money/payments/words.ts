import { logQuota } from '@tollgate/contract';
import type { Settings } from '../../site/settings/index.ts';

/** An amount of quota as log rows show it (docs/compatibility.md#amount-text). */
export const shownQuota = (quota: number, settings: Pick<Settings, 'get'>): string =>
  logQuota(quota, {
    inCurrency: settings.get('DisplayInCurrencyEnabled'),
    perUnit: settings.get('QuotaPerUnit'),
  });
