import type { Sealer } from '../../lib/seal.ts';

/** What the secret of a user's webhook is sealed for. */
const context = 'users.setting.webhook_secret';

/** A user's settings as they lie in the database: the secret of the webhook is sealed. */
export const sealSecret = <T extends { webhook_secret: string }>(sealer: Sealer, setting: T): T => ({
  ...setting,
  webhook_secret: sealer.seal(setting.webhook_secret, context),
});

/** The secret in stored settings; one that was stored before secrets were sealed is taken as it stands. */
export function openSecret(sealer: Sealer, stored: string): string {
  if (!/^v1(\.[\w-]*){3}$/.test(stored)) return stored;
  try {
    return sealer.open(stored, context);
  } catch {
    // A plain word of that shape, or sealed with a master key that is gone: either way nothing else is known.
    return stored;
  }
}
