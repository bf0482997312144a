import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@tollgate/contract';
import { z } from 'zod';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { ForeignIdentity } from '../accounts/index.ts';
import type { Rounds } from './rounds.ts';
import type { ProviderDeps, SignInProvider } from './types.ts';

/** Maximum age of a signed answer of the log-in button, in seconds. */
const freshSeconds = 300;

/** The only valid format of a signature: another spelling of the same bytes would count as another answer. */
const hashPattern = /^[0-9a-f]{64}$/;

type Fields = Readonly<Record<string, string | undefined>>;

/** True for data signed with the bot's token over all fields, a moment ago (core.telegram.org/widgets/login). */
function isSigned({ hash = '', lang: _lang, ...signed }: Fields, botToken: string, clock: Clock): boolean {
  if (botToken === '' || !hashPattern.test(hash)) return false;
  const text = Object.entries(signed)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('\n');
  const key = createHash('sha256').update(botToken).digest();
  const expected = createHmac('sha256', key).update(text).digest();
  const age = seconds(clock) - Number(signed.auth_date);
  return timingSafeEqual(Buffer.from(hash, 'hex'), expected) && Math.abs(age) <= freshSeconds;
}

export interface TelegramDeps extends Pick<ProviderDeps, 'settings' | 'addresses' | 'clock'> {
  rounds: Pick<Rounds, 'isFirst'>;
}

/**
 * The identity in a signed answer of Telegram, in any format. Each answer is valid once, because its address stays in
 * browser histories and logs. Throws `oauth_state_wrong`.
 */
export async function identifyByTelegram(
  fields: Fields,
  { settings, clock, rounds }: Omit<TelegramDeps, 'addresses'>,
): Promise<ForeignIdentity> {
  if (
    !isSigned(fields, settings.get('TelegramBotToken'), clock) ||
    !(await rounds.isFirst(`telegram:${fields.hash}`))
  )
    throw new AppError('oauth_state_wrong');
  return {
    provider: 'telegram',
    subject: fields.id ?? '',
    providerName: 'Telegram',
    username: '',
    displayName: fields.first_name ?? fields.username ?? 'Telegram User',
    email: '',
  };
}

const fieldsOf = z.record(
  z.string(),
  z.union([z.string(), z.number()]).transform((value) => String(value)),
);

/**
 * Telegram's page, opened in the browser instead of its button: the button's script would be foreign code on the
 * log-in page, and its window cannot communicate with pages that may not be embedded. The data in the page's
 * fragment, `tgAuthResult`, is the code here: base64 of the same signed fields.
 */
export function telegramProvider(deps: TelegramDeps): SignInProvider {
  const { settings, addresses } = deps;
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
    identify: async (_round, { code }) =>
      identifyByTelegram(fieldsOf.parse(JSON.parse(Buffer.from(code, 'base64url').toString('utf8'))), deps),
  };
}
