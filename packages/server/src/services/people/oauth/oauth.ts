import { AppError, role, type SignInPolicy, wayToSignIn, type Words } from '@tollgate/contract';
import { z } from 'zod';
import { scimUsers, users } from '../../../store/index.ts';
import type { Accounts, ForeignIdentity } from '../accounts/index.ts';
import type { Auth, FirstStep } from '../auth/index.ts';
import type { KnownProviders } from './known-providers.ts';
import { discordProvider } from './discord.ts';
import { githubProvider } from './github.ts';
import { oidcProvider, settingsOidc } from './oidc.ts';
import type { Rounds } from './rounds.ts';
import { identifyByTelegram, telegramProvider } from './telegram.ts';
import { auditingRefusal, type RefusalDeps } from './audit-refusal.ts';
import type { ProviderDeps, SignInProvider } from './types.ts';
import { identifyWechat } from './wechat.ts';
import { assign, findInDirectory, followDirectory, followRules, type RuleDeps } from './sign-in-rules.ts';
import { configure, exchange, buildPageAddress, readJson } from './openid.ts';
import { describeSite, samlAddress } from './saml.ts';

const account = z.object({ id: z.number().int(), username: z.string(), name: z.string().nullish() });

/** Linux DO Connect: OAuth 2.0 with an account's number. */
function linuxdoProvider({ settings, http, addresses: { linuxdo } }: ProviderDeps): SignInProvider {
  const configuration = () =>
    configure(
      http,
      {
        issuer: linuxdo,
        authorization_endpoint: `${linuxdo}/oauth2/authorize`,
        token_endpoint: `${linuxdo}/oauth2/token`,
      },
      { id: settings.get('LinuxDOClientId'), secret: settings.get('LinuxDOClientSecret') },
    );
  return {
    id: 'linuxdo',
    name: 'Linux DO',
    isEnabled: () => settings.get('LinuxDOOAuthEnabled'),
    pageFor: async (round) => buildPageAddress(await configuration(), round, 'user'),
    async identify(round, returned) {
      const known = await configuration();
      const { access_token: token } = await exchange(known, { ...round, nonce: '' }, returned);
      const user = account.parse(await readJson(known, token, `${linuxdo}/api/user`));
      return {
        provider: 'linuxdo',
        subject: String(user.id),
        providerName: 'Linux DO',
        username: '',
        displayName: user.name || 'Linux DO User',
        email: '',
      };
    },
  };
}

export interface OauthDeps extends ProviderDeps, RefusalDeps, Omit<RuleDeps, 'accounts'> {
  settings: ProviderDeps['settings'];
  accounts: RuleDeps['accounts'] &
    Pick<Accounts, 'findByIdentity' | 'registerForeign' | 'bindIdentity' | 'unbindIdentity'>;
  auth: Pick<Auth, 'signInIdentified'>;
  rounds: Rounds;
  /** The providers that root added. */
  added: Pick<KnownProviders, 'find' | 'open'>;
}

type Language = Parameters<Accounts['sendCode']>[1];

/** The user's browser and language. */
export interface Visitor {
  ip: string;
  userAgent: string;
  language: Language;
  /** The cookie that identifies this browser between the start and the end of a round. */
  browser: string;
  /** The site's address in the browser: `https://gate.example`. */
  site: string;
}

/** Parameters with which a provider's page returns to the browser. */
interface RoundEnd {
  /** Undefined if the user did not allow the provider to identify them. */
  code: string | undefined;
  /** '' if absent. */
  issuer: string;
  state: string;
  /** The signed-in user; 0 for none. */
  userId: number;
}

/** Signing in through other sites, and binding them (docs/compatibility.md#third-party-sign-in). */
export interface Oauth {
  /**
   * Starts a round; returns its state and the address of the provider's page. `userId` is the user who binds, 0 for
   * signing in.
   */
  start(
    provider: string,
    visitor: Visitor,
    purpose: { userId: number; affCode: string },
  ): Promise<{ state: string; page: string }>;
  /** Starts a round with a page that the caller opens itself, for any provider; returns its state. */
  startPlain(visitor: Visitor, purpose: { userId: number; affCode: string }): Promise<string>;
  /**
   * Ends a round: the result of the first sign-in step, or null if `userId`, who started it, has bound the identity.
   * Throws `oauth_state_wrong`, `oauth_refused`, `oauth_nobody`, `oauth_unreachable`, `oauth_bound`, `user_banned`
   * and more.
   */
  finish(provider: string, visitor: Visitor, end: RoundEnd): Promise<FirstStep | null>;
  /** The site's metadata for a SAML provider. Throws `row_not_found`. */
  describe(provider: string, site: string): string;
  /**
   * Takes the response of a SAML provider, which the browser posts from the provider's page; returns the address where
   * this browser ends its round. A response that is refused leaves no trace but in the log.
   */
  receive(provider: string, posted: { state: string; response: string; site: string }): Promise<string>;
  wechat(code: string, visitor: Visitor, affCode: string): Promise<FirstStep>;
  bindWechat(userId: number, code: string): Promise<void>;
  telegram(fields: Readonly<Record<string, string | undefined>>, visitor: Visitor): Promise<FirstStep>;
  bindTelegram(userId: number, fields: Readonly<Record<string, string | undefined>>): Promise<void>;
  unbind: Accounts['unbindIdentity'];
  /** Ids of the enabled sign-in providers. */
  openWays(): string[];
}

export const createOauth = (deps: OauthDeps): Oauth => new SignInRounds(deps);

class SignInRounds implements Oauth {
  private readonly deps: OauthDeps;
  private readonly providers: readonly SignInProvider[];

  constructor(deps: OauthDeps) {
    this.deps = deps;
    this.providers = [
      githubProvider(deps),
      linuxdoProvider(deps),
      discordProvider(deps),
      telegramProvider(deps),
      oidcProvider(settingsOidc(deps.settings), deps.http),
    ];
  }

  async start(
    id: string,
    visitor: Visitor,
    { userId, affCode }: { userId: number; affCode: string },
  ): Promise<{ state: string; page: string }> {
    const provider = this.enabled(id);
    const { browser } = visitor;
    const start = { provider: id, browser, userId, affCode };
    const round = await this.deps.rounds.begin(start, this.redirectUri(id, visitor));
    const page = await this.reaching(provider.name, () => provider.pageFor(round));
    return { state: round.state, page };
  }

  async startPlain({ browser }: Visitor, purpose: { userId: number; affCode: string }): Promise<string> {
    return (await this.deps.rounds.begin({ provider: '', browser, ...purpose }, '')).state;
  }

  async finish(
    id: string,
    visitor: Visitor,
    { code, issuer, state, userId }: RoundEnd,
  ): Promise<FirstStep | null> {
    const provider = this.enabled(id);
    const { rounds, accounts } = this.deps;
    const from = { provider: id, browser: visitor.browser };
    const { round, userId: binder, affCode } = await rounds.end(state, from, this.redirectUri(id, visitor));
    // The user who started a binding must still be the one who is signed in.
    if (binder !== 0 && binder !== userId) throw new AppError('oauth_state_wrong');
    if (code === undefined) throw new AppError('oauth_refused', { provider: provider.name });
    const foreign = await this.reaching(provider.name, () => provider.identify(round, { code, issuer }));
    if (binder === 0) {
      return provider.signsNobodyUp
        ? this.enterBound(foreign, visitor)
        : this.signIn(foreign, visitor, affCode);
    }
    await accounts.bindIdentity(binder, foreign);
    return null;
  }

  describe(id: string, site: string): string {
    if (!this.deps.added.find(id)?.receive) throw new AppError('row_not_found');
    return describeSite(samlAddress(this.deps.settings.get('ServerAddress') || site, id));
  }

  async receive(
    id: string,
    { state, response, site }: { state: string; response: string; site: string },
  ): Promise<string> {
    const provider = this.enabled(id);
    if (!provider.receive) throw new AppError('row_not_found');
    const { rounds, log } = this.deps;
    const redirectUri = this.redirectUri(id, { site });
    const round = await rounds.find(state, id, redirectUri);
    try {
      if (!round) throw new Error('no round waits for it');
      const foreign = await provider.receive(round, response);
      await rounds.answer(state, JSON.stringify(foreign));
    } catch (error) {
      log.warn({ err: error, provider: id }, 'a SAML response was refused');
    }
    // The cookie of the browser that began comes with this address alone, and decides.
    return `${redirectUri}?${new URLSearchParams({ code: 'saml', state }).toString()}`;
  }

  async wechat(code: string, visitor: Visitor, affCode: string): Promise<FirstStep> {
    return this.signIn(await this.wechatIdentity(code), visitor, affCode);
  }

  async bindWechat(userId: number, code: string): Promise<void> {
    await this.deps.accounts.bindIdentity(userId, await this.wechatIdentity(code));
  }

  async telegram(fields: Readonly<Record<string, string | undefined>>, visitor: Visitor): Promise<FirstStep> {
    const foreign = await this.telegramIdentity(fields);
    return this.enterBound(foreign, visitor);
  }

  async bindTelegram(userId: number, fields: Readonly<Record<string, string | undefined>>): Promise<void> {
    await this.deps.accounts.bindIdentity(userId, await this.telegramIdentity(fields));
  }

  unbind: Oauth['unbind'] = (actor, provider) => this.deps.accounts.unbindIdentity(actor, provider);

  openWays(): string[] {
    const { settings, added } = this.deps;
    const built = this.providers.filter((each) => each.isEnabled()).map(({ id }) => id);
    return [...built, ...(settings.get('WeChatAuthEnabled') ? ['wechat'] : []), ...added.open()];
  }

  private async signIn(foreign: ForeignIdentity, visitor: Visitor, affCode: string): Promise<FirstStep> {
    return auditingRefusal(this.deps, foreign, () => this.enterOrRegister(foreign, visitor, affCode));
  }

  private async enterOrRegister(
    foreign: ForeignIdentity,
    visitor: Visitor,
    affCode: string,
  ): Promise<FirstStep> {
    const { accounts, auth, settings } = this.deps;
    const known = await accounts.findByIdentity(foreign);
    const policy = settings.get('SignInRules')[foreign.provider];
    if (policy?.scim) return this.enterFromDirectory(foreign, known, visitor, policy);
    const assigned = policy && assign(policy, foreign);
    // Root could otherwise be locked out by a rule.
    if (assigned === null && known?.role !== role.root) {
      if (known) await accounts.endLeaver(known.id);
      throw new AppError('sign_in_no_rule', { provider: foreign.providerName });
    }
    const { language } = visitor;
    const how = { affCode, language, isAdmitted: policy !== undefined };
    const id = known?.id ?? (await accounts.registerForeign(foreign, how));
    if (assigned) await followRules(this.deps, foreign, id, assigned);
    return auth.signInIdentified(id, visitor, foreign.provider);
  }

  /** The company's directory has sent the user: its groups decide. Root could otherwise be locked out. */
  private async enterFromDirectory(
    foreign: ForeignIdentity,
    known: { id: number; role: number } | undefined,
    visitor: Visitor,
    policy: SignInPolicy,
  ): Promise<FirstStep> {
    const { db, accounts, auth } = this.deps;
    const refusal = new AppError('sign_in_no_rule', { provider: foreign.providerName });
    const id = known ? known.id : await findInDirectory(db, foreign);
    if (id === undefined) throw refusal;
    if (known?.role !== role.root) {
      // Users whom the directory does not send yet keep their keys.
      if (!(await scimUsers.ofUser(db, id)) || !(await followDirectory(this.deps, id))) throw refusal;
    }
    if (!known) {
      // Whoever holds the directory's token may not choose who signs in as an administrator whom no rule made one.
      const isByRule = policy.rules.some((rule) => rule.role !== undefined);
      const present = (await users.find(db, id))?.role;
      if (present !== role.common && (present === role.root || !isByRule)) throw refusal;
      await accounts.bindIdentity(id, foreign);
    }
    return auth.signInIdentified(id, visitor, foreign.provider);
  }

  private async enterBound(foreign: ForeignIdentity, visitor: Visitor): Promise<FirstStep> {
    return auditingRefusal(this.deps, foreign, async () => {
      const user = await this.deps.accounts.findByIdentity(foreign);
      if (!user) throw new AppError('oauth_not_bound', { provider: foreign.providerName });
      return this.deps.auth.signInIdentified(user.id, visitor, foreign.provider);
    });
  }

  private enabled(id: string): SignInProvider {
    const provider = this.providers.find((each) => each.id === id) ?? this.deps.added.find(id);
    if (!provider) throw new AppError('row_not_found');
    if (!provider.isEnabled()) throw new AppError('oauth_disabled', { provider: provider.name });
    return provider;
  }

  private async wechatIdentity(code: string): Promise<ForeignIdentity> {
    if (!this.deps.settings.get('WeChatAuthEnabled')) throw new AppError('wechat_disabled');
    const foreign = await this.reaching(wayToSignIn('wechat'), () => identifyWechat(this.deps, code));
    if (!foreign) throw new AppError('email_code_wrong');
    return foreign;
  }

  private async telegramIdentity(
    fields: Readonly<Record<string, string | undefined>>,
  ): Promise<ForeignIdentity> {
    if (!this.deps.settings.get('TelegramOAuthEnabled'))
      throw new AppError('oauth_disabled', { provider: 'Telegram' });
    return identifyByTelegram(fields, this.deps);
  }

  /** Runs code that calls the other site; its errors become AppErrors, and the cause is logged. */
  private async reaching<T>(provider: string | Words, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError) throw error;
      const name = typeof provider === 'string' ? provider : provider.en;
      this.deps.log.warn({ err: error, provider: name }, 'a sign-in through another site failed');
      // An answer in another form has no identity.
      const code = error instanceof z.ZodError ? 'oauth_nobody' : 'oauth_unreachable';
      throw new AppError(code, { provider }, error);
    }
  }

  private redirectUri(provider: string, { site }: Pick<Visitor, 'site'>): string {
    return `${this.deps.settings.get('ServerAddress') || site}/oauth/${provider}`;
  }
}
