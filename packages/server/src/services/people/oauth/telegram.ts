import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { ForeignIdentity } from '../accounts/index.ts';
import type { ProviderDeps, SignInProvider } from './types.ts';

/** How old a signed answer of the log-in button may be, in seconds. */
const freshSeconds = 300;

/**
 * Checks the data of Telegram's log-in button: signed with the bot's token over all fields, and recent
 * (core.telegram.org/widgets/login).
 */
export function isSignedByTelegram(
  fields: Readonly<Record<string, string | undefined>>,
  botToken: string,
  clock: Clock,
): boolean {
  const { hash = '', lang: _lang, ...signed } = fields;
  const text = Object.entries(signed)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('\n');
  const key = createHash('sha256').update(botToken).digest();
  const expected = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(hash, 'hex');
  const age = seconds(clock) - Number(fields.auth_date);
  return (
    botToken !== '' &&
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    age >= -freshSeconds &&
    age <= freshSeconds
  );
}

/** The identity in Telegram's fields. */
export const telegramIdentity = (fields: Readonly<Record<string, string | undefined>>): ForeignIdentity => ({
  provider: 'telegram',
  subject: fields.id ?? '',
  providerName: 'Telegram',
  username: '',
  displayName: fields.first_name ?? fields.username ?? 'Telegram User',
  email: '',
});

const fieldsOf = z.record(
  z.string(),
  z.union([z.string(), z.number()]).transform((value) => String(value)),
);

/**
 * Telegram's page, opened in the browser instead of its button: the button's script would be foreign code on the
 * log-in page, and its window cannot communicate with pages that may not be embedded. The data in the page's
 * fragment, `tgAuthResult`, is the code here: base64 of the same signed fields.
 */
export function telegramProvider({ settings, addresses, clock }: ProviderDeps): SignInProvider {
  return {
    id: 'telegram',
    name: 'Telegram',
    signsNobodyUp: true,
    isEnabled: () => settings.get('TelegramOAuthEnabled'),
    async pageFor({ state, redirectUri }) {
      // The number of a bot is not secret; it is before the colon of its token.
      const [bot = ''] = settings.get('TelegramBotToken').split(':', 1);
      const back = `${redirectUri}?${new URLSearchParams({ state }).toString()}`;
      const query = new URLSearchParams({
        bot_id: bot,
        origin: new URL(redirectUri).origin,
        return_to: back,
      });
      return `${addresses.telegram}/auth?${query.toString()}`;
    },
    async identify(_round, { code }) {
      const fields = fieldsOf.parse(JSON.parse(Buffer.from(code, 'base64url').toString('utf8')));
      if (!isSignedByTelegram(fields, settings.get('TelegramBotToken'), clock)) {
        throw new Error('not signed by Telegram, or too long ago');
      }
      return telegramIdentity(fields);
    },
  };
}
