import type { Settings } from '../../site/settings/index.ts';

/** A merchant's account at an epay provider. */
export interface EpayConfig {
  /** Without a slash at the end. */
  address: string;
  merchantId: string;
  key: string;
}

/**
 * The configured payment provider; null unless address, merchant and key are all set. An empty key must disable
 * payment: everyone could make a signature with it.
 */
export function epayConfig(settings: Pick<Settings, 'get'>): EpayConfig | null {
  const address = settings.get('PayAddress').trim().replace(/\/+$/, '');
  const merchantId = settings.get('EpayId').trim();
  const key = settings.get('EpayKey').trim();
  return address === '' || merchantId === '' || key === '' ? null : { address, merchantId, key };
}
