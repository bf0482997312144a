import type { Language } from '@tollgate/contract';
import { type JsonObject, parseObject } from '../../../lib/json.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Destination } from './types.ts';
import { openSecret } from './webhook-secret.ts';

/** The columns of a user that a message needs. */
export interface Recipient {
  id: number;
  /** The account's own address; '' for none. */
  email: string;
  /** JSON text. */
  setting: string;
}

/** A user's notification preferences, as far as they are set. */
export interface WarningPreferences {
  /** Quota units; undefined when the site's threshold applies. */
  threshold: number | undefined;
  destination: Destination;
  /** Undefined when the site's language applies. */
  language: Language | undefined;
}

/** If the row is damaged, the owner gets mail to the account's address. */
const readFields = (setting: string): JsonObject => parseObject(setting) ?? {};

/** Reads a user's preferences leniently: whatever is missing or odd counts as not said. */
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
