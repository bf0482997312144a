import { looksSealed, type Sealer, type SealPlace } from '../../../lib/seal.ts';

/** The seal place of a user's webhook secret. */
export const webhookPlace = (userId: number): SealPlace => ({
  column: 'users.setting.webhook_secret',
  row: userId,
});

/** A user's settings as stored: the webhook's secret is encrypted. */
export const sealSecret = <T extends { webhook_secret: string }>(
  sealer: Sealer,
  userId: number,
  setting: T,
): T => ({
  ...setting,
  webhook_secret: sealer.seal(setting.webhook_secret, webhookPlace(userId)),
});

/** The secret in stored settings; one stored before secrets were encrypted is used unchanged. */
export function openSecret(sealer: Sealer, userId: number, stored: string): string {
  if (!looksSealed(stored)) return stored;
  try {
    return sealer.open(stored, webhookPlace(userId));
  } catch {
    // A plain text that looks encrypted, or a secret of a lost master key: the secret is unusable in both cases.
    return stored;
  }
}
