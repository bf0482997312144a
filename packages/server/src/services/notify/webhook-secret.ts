import { looksSealed, type Sealer, type SealPlace } from '../../lib/seal.ts';

/** Where the sealed secret of a user's webhook belongs. */
export const webhookPlace = (userId: number): SealPlace => ({
  column: 'users.setting.webhook_secret',
  row: userId,
});

/** A user's settings as they lie in the database: the secret of the webhook is sealed. */
export const sealSecret = <T extends { webhook_secret: string }>(
  sealer: Sealer,
  userId: number,
  setting: T,
): T => ({
  ...setting,
  webhook_secret: sealer.seal(setting.webhook_secret, webhookPlace(userId)),
});

/** The secret in stored settings; one that was stored before secrets were sealed is taken as it stands. */
export function openSecret(sealer: Sealer, userId: number, stored: string): string {
  if (!looksSealed(stored)) return stored;
  try {
    return sealer.open(stored, webhookPlace(userId));
  } catch {
    // A plain word of that shape, or sealed with a master key that is gone: either way nothing else is known.
    return stored;
  }
}
