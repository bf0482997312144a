import type { Sealer } from '../../lib/seal.ts';
import type { Destination } from './types.ts';
import { openSecret } from './webhook-secret.ts';

/** As much of a user as a message to him needs. */
export interface Recipient {
  /** The account's own address; '' for none. */
  email: string;
  /** JSON text (specification 1, section 3). */
  setting: string;
}

/** How a user wants to be warned, as far as he said so. */
export interface WarningWishes {
  /** Quota units; undefined when the site's threshold applies. */
  threshold: number | undefined;
  destination: Destination;
}

function readFields(setting: string): Record<string, unknown> {
  if (setting === '') return {};
  try {
    const value: unknown = JSON.parse(setting);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // A damaged row must not keep anybody from being warned: its owner gets mail to his account's address.
    return {};
  }
}

/** Reads a user's wishes leniently: whatever is missing or odd counts as not said. */
export function wishesOf(sealer: Sealer, { email, setting }: Recipient): WarningWishes {
  const fields = readFields(setting);
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const threshold = Number(fields.quota_warning_threshold);
  return {
    threshold: Number.isFinite(threshold) && threshold > 0 ? threshold : undefined,
    destination: destinationOf(text, email, (stored) => openSecret(sealer, stored)),
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
