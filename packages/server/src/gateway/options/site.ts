import type { Settings } from '../../services/site/settings/index.ts';

/** The default language of errors; undefined for English. */
export function siteLanguage(settings: Settings): 'zh' | 'en' | undefined {
  const chosen = settings.get('DefaultLanguage');
  return chosen === 'auto' ? undefined : chosen;
}

/** The status of errors for want of quota; undefined if each has its own. */
export const billingStatus = (settings: Settings): number | undefined =>
  settings.get('PaymentRequiredEnabled') ? 402 : undefined;

/** Keep-alive interval of streams, in ms; 0 when off. */
export function pingEveryMs(settings: Settings): number {
  if (!settings.get('general_setting.ping_interval_enabled')) return 0;
  const seconds = settings.get('general_setting.ping_interval_seconds');
  return (seconds > 0 ? seconds : 10) * 1000;
}

/** An amount of quota units as text: as money if the site shows money. Log rows keep the wide sign. */
export const showQuota = (settings: Settings, amount: number, sign: '$' | '＄' = '$'): string =>
  settings.get('DisplayInCurrencyEnabled')
    ? `${sign}${(amount / settings.get('QuotaPerUnit')).toFixed(6)}`
    : String(amount);
