import type { Language } from '@tollgate/contract';
import { type JsonObject, parseObject } from '../../../lib/json.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Destination } from './types.ts';
import { openSecret } from './webhook-secret.ts';

/** The columns of a user for a message. */
export interface Recipient {
  id: number;
  /** The account's own address; '' for none. */
  email: string;
  /** JSON text. */
  setting: string;
}

/** The set notification preferences of a user. */
export interface WarningPreferences {
  /** Quota units; undefined for the site's threshold. */
  threshold: number | undefined;
  destination: Destination;
  /** Undefined for the site's language. */
  language: Language | undefined;
}

/** If the row is damaged, the owner gets mail to the account's address. */
const readFields = (setting: string): JsonObject => parseObject(setting) ?? {};

/** Reads a user's preferences leniently: missing or invalid values count as unset. */
export function preferencesOf(sealer: Sealer, { id, email, setting }: Recipient): WarningPreferences {
  const fields = readFields(setting);
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const language = text('language');
  const threshold = Number(fields.quota_warning_threshold);
  return {
    threshold: Number.isFinite(threshold) && threshold > 0 ? threshold : undefined,
    destination: destinationOf(text, email, (stored) => openSecret(sealer, id, stored)),
    language: language === 'zh' || language === 'en' ? language : undefined,
  };
}

function destinationOf(
  text: (name: string) => string,
  email: string,
  open: (stored: string) => string,
): Destination {
  if (text('notify_type') === 'webhook') {
    const url = text('webhook_url');
    return url === '' ? { kind: 'none' } : { kind: 'webhook', url, secret: open(text('webhook_secret')) };
  }
  const to = text('notification_email') || email;
  return to === '' ? { kind: 'none' } : { kind: 'email', to };
}
