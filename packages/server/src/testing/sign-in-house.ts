import { createHash, createHmac } from 'node:crypto';
import { type House, openHouse } from './harness.ts';
import {
  signInClient,
  type SignInSites,
  startSignInSites,
  wechatToken,
} from './upstream/sign-in/fake-sign-in-sites.ts';
import type { OpenidProvider } from './upstream/sign-in/openid-provider.ts';

/** Site address of the house. */
export const houseSite = 'https://gate.example';
const botToken = '123456:bot-token';

/** A house with sign-in through all supported external sites, and fakes of those sites. */
export interface SignInHouse {
  house: House;
  sites: SignInSites;
  close(): Promise<void>;
}

/** Opens a house with all built-in external sign-in methods enabled. */
export async function openSignInHouse(openid: Pick<OpenidProvider, 'wellKnown'>): Promise<SignInHouse> {
  const sites = await startSignInSites();
  const { url } = sites;
  const house = await openHouse({
    env: { GITHUB_URL: url, GITHUB_API_URL: url, LINUXDO_URL: url, DISCORD_URL: url },
  });
  const { id, secret } = signInClient;
  await house.core.settings.setMany({
    ServerAddress: houseSite,
    GitHubClientId: id,
    GitHubClientSecret: secret,
    GitHubOAuthEnabled: 'true',
    LinuxDOClientId: id,
    LinuxDOClientSecret: secret,
    LinuxDOOAuthEnabled: 'true',
    'discord.client_id': id,
    'discord.client_secret': secret,
    'discord.enabled': 'true',
    'oidc.client_id': id,
    'oidc.client_secret': secret,
    'oidc.well_known': openid.wellKnown,
    'oidc.enabled': 'true',
    WeChatServerAddress: url,
    WeChatServerToken: wechatToken,
    WeChatAuthEnabled: 'true',
    TelegramBotToken: botToken,
    TelegramBotName: 'gate_bot',
    TelegramOAuthEnabled: 'true',
  });
  const close = async () => {
    await house.close();
    await sites.close();
  };
  return { house, sites, close };
}

/** Differences of a Telegram answer from a fresh one of the house's own bot. */
export interface Forgery {
  token?: string;
  /** Seconds since the signature. */
  age?: number;
}

/** Telegram's data about a user, signed as Telegram does. */
export function signedByTelegram(
  { time }: Pick<House, 'time'>,
  id: string,
  { token = botToken, age = 0 }: Forgery = {},
) {
  const fields = {
    id,
    first_name: 'Ann',
    username: 'ann',
    auth_date: String(Math.floor(time.ms / 1000) - age),
  };
  const lines = Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
  const key = createHash('sha256').update(token).digest();
  return { ...fields, hash: createHmac('sha256', key).update(lines.join('\n')).digest('hex') };
}
