import { fileURLToPath } from 'node:url';
import type { Language } from '@tollgate/contract';
import type { Core, Mails } from './site.ts';
import { seconds } from '../lib/clock.ts';
import { newRequestId } from '../lib/request-id.ts';
import { sandbox } from '../relay/providers/sandbox/index.ts';
import {
  type AccountMail,
  type Accounts,
  createAccounts,
  writeAccountMail,
} from '../services/people/accounts/index.ts';
import {
  type Auth,
  authorize,
  createAuth,
  createPasswords,
  type PasswordCost,
  refusal,
} from '../services/people/auth/index.ts';
import {
  type AddedProviders,
  createAddedProviders,
  createOauth,
  createRounds,
  KnownProviders,
  type Oauth,
  type Rounds,
} from '../services/people/oauth/index.ts';
import { createDirectory, type Directory } from '../services/people/directory/index.ts';
import { Factors } from '../services/people/factors/index.ts';
import { autoGroup } from '../services/money/pricing/index.ts';
import { createMailCodes, type MailCodes } from '../services/site/mail-codes/index.ts';
import { createImportRehearsal, createSetup, type Setup } from '../services/upkeep/setup/index.ts';
import { createStatus, type Status } from '../services/upkeep/status/index.ts';
import { createTeams, type Teams } from '../services/people/teams/index.ts';
import { createTokens, type Tokens } from '../services/people/tokens/index.ts';
import { users } from '../store/index.ts';

/** The command that moves another gateway in. */
const importCommand = fileURLToPath(new URL('../commands/import.ts', import.meta.url));

/** The services about users. */
export interface People {
  auth: Auth;
  accounts: Accounts;
  tokens: Tokens;
  teams: Teams;
  codes: MailCodes;
  factors: Factors;
  rounds: Rounds;
  oauth: Oauth;
  /** Users and groups of a company's directory. */
  directory: Directory;
  /** The OpenID providers that root added: cached, and their administration. */
  knownProviders: KnownProviders;
  addedProviders: AddedProviders;
  setup: Setup;
  status: Status;
}

export interface PeopleOptions {
  version: string;
  mails: Pick<Mails, 'mailer' | 'send'>;
  /** Parameters of cheaper hashes for tests. */
  passwordCost?: PasswordCost;
}

function openAccounts(
  core: Core,
  { auth, tokens, codes }: Pick<People, 'auth' | 'tokens' | 'codes'>,
  options: PeopleOptions & { openWays: () => readonly string[] },
): Accounts {
  return createAccounts({
    db: core.store.db,
    settings: core.settings,
    ledger: core.ledger,
    audit: core.audit,
    budgetRules: core.budgetRules,
    sealer: core.sealer,
    guard: {
      authorize,
      mayRead: (actor, target) => refusal(actor, 'read', target) === null,
      hashPassword: (password) => auth.hashPassword(password),
      isCurrentPassword: (userId, given, ip) => auth.isCurrentPassword(userId, given, ip),
      isFreshSession: (idHash) => auth.isFreshSession(idHash),
      endSessions: (userId, except) => auth.sessions.endAll(userId, except),
    },
    codes,
    mail: {
      isConfigured: () => options.mails.mailer.configured(),
      send: (mail) => options.mails.send(mail),
    },
    openWays: options.openWays,
    forgetUser(userId) {
      core.keys.forgetUser(userId);
      core.events.emit('userChanged', userId);
    },
    async welcome(user, language) {
      if (core.env.generateDefaultToken) await tokens.createFirst(user, newRequestId(core.clock()), language);
    },
    clock: core.clock,
    log: core.log,
  });
}

/** Sends an account mail, if there is an address and the site can send mails. */
function writeTo(
  { settings }: Pick<Core, 'settings'>,
  mails: PeopleOptions['mails'],
  {
    email,
    letter,
    language,
    token,
  }: { email: string; letter: AccountMail; language: Language; token?: string },
): void {
  if (email === '' || !mails.mailer.configured()) return;
  const values = { site: settings.get('SystemName'), ...(token !== undefined && { token }) };
  mails.send(writeAccountMail(email, letter, values, language));
}

const openFactors = (core: Core, { mails }: PeopleOptions): Factors =>
  new Factors({
    db: core.store.db,
    sealer: core.sealer,
    masterKey: core.firstMasterKey,
    settings: core.settings,
    audit: core.audit,
    authorize,
    writeTo: (email, letter, language) => writeTo(core, mails, { email, letter, language }),
    clock: core.clock,
    log: core.log,
  });

const openOauth = (
  core: Core,
  { teams, ...parts }: Pick<People, 'accounts' | 'auth' | 'rounds' | 'teams'> & { added: KnownProviders },
): Oauth =>
  createOauth({
    ...parts,
    assignMember: (userId, organisation, member) => teams.assign(userId, organisation, member),
    db: core.store.db,
    audit: core.audit,
    settings: core.settings,
    http: core.http,
    addresses: {
      github: core.env.githubUrl,
      telegram: core.env.telegramUrl,
      githubApi: core.env.githubApiUrl,
      linuxdo: core.env.linuxdoUrl,
      discord: core.env.discordUrl,
    },
    clock: core.clock,
    log: core.log,
  });

/** Providers of third-party sign-in: the built-in ones, and those that root added. */
async function openOtherSites(
  core: Core,
  parts: Pick<People, 'accounts' | 'auth' | 'rounds' | 'teams'>,
): Promise<Pick<People, 'oauth' | 'knownProviders' | 'addedProviders'>> {
  const deps = { db: core.store.db, sealer: core.sealer, http: core.http, log: core.log };
  const knownProviders = new KnownProviders(deps);
  await knownProviders.reload();
  const oauth = openOauth(core, { ...parts, added: knownProviders });
  const addedProviders = createAddedProviders({
    ...deps,
    known: knownProviders,
    openWays: () => oauth.openWays(),
    waysIn: () => parts.accounts.ownWays(),
    audit: core.audit,
    clock: core.clock,
  });
  return { oauth, knownProviders, addedProviders };
}

const openStatus = (
  { store, settings, env, clock }: Core,
  { setup, knownProviders, factors }: Pick<People, 'setup' | 'knownProviders' | 'factors'>,
  version: string,
): Status =>
  createStatus({
    db: store.db,
    settings,
    setup,
    version,
    demoSite: env.demoSite,
    addedProviders: () => knownProviders.published(),
    turnstileUrl: env.turnstileUrl,
    passkeysPossible: () => factors.passkeysPossible(),
    startTime: seconds(clock),
  });

const openTeams = (core: Core, accounts: Accounts, { mails }: PeopleOptions): Teams =>
  createTeams({
    db: core.store.db,
    reports: core.store.reports,
    settings: core.settings,
    ledger: core.ledger,
    keys: core.keys,
    audit: core.audit,
    budgetsChanged: () => core.budgetRules.reload(),
    createPerson: (person, also) => accounts.createMember(person, also),
    checkNewName: (username) => accounts.checkNewName(username),
    isGroup: (name) => core.pricing.groupRatio(name) !== undefined,
    mail: {
      isConfigured: () => mails.mailer.configured(),
      send: (mail) => mails.send(mail),
    },
    clock: core.clock,
    log: core.log,
  });

const openTokens = ({
  store,
  keys,
  ledger,
  audit,
  sealer,
  settings,
  env,
  pricing,
  clock,
  log,
}: Core): Tokens =>
  createTokens({
    db: store.db,
    keys,
    ledger,
    audit,
    sealer,
    hashOnly: env.hashOnlyKeys,
    mayUseGroup: (userGroup, group) =>
      group === autoGroup
        ? pricing.autoGroups(userGroup).length > 0
        : Object.hasOwn(pricing.usableGroups(userGroup), group),
    firstGroup: () =>
      settings.get('DefaultUseAutoGroup') && pricing.autoGroups('default').length > 0 ? autoGroup : '',
    clock,
    log,
  });

/** Asks once and shares the answer with all callers, unless it failed. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () =>
    (answer ??= ask().catch((error: unknown) => {
      answer = undefined;
      throw error;
    }));
}

/** Opens the services about users on the core. */
export async function openPeople(core: Core, options: PeopleOptions): Promise<People> {
  const { store, settings, clock, log } = core;
  const passwords = createPasswords({
    masterKey: core.firstMasterKey,
    ...(options.passwordCost && { cost: options.passwordCost }),
    // Imported password hashes are replaced one by one while the process runs.
    hasBcrypt: once(() => users.haveBcrypt(store.db)),
  });
  const factors = openFactors(core, options);
  const auth = createAuth({
    db: store.db,
    settings,
    passwords,
    factors,
    audit: core.audit,
    announceToken: (email, token, language) =>
      writeTo(core, options.mails, { email, letter: 'token', language, token }),
    clock,
    log,
  });
  const tokens = openTokens(core);
  const codes = createMailCodes({ db: store.db, masterKey: core.masterKey, clock });
  const accounts = openAccounts(
    core,
    { auth, tokens, codes },
    { ...options, openWays: () => oauth.openWays() },
  );
  const rounds = createRounds({ db: store.db, masterKey: core.masterKey, clock });
  const teams = openTeams(core, accounts, options);
  const { knownProviders, oauth, addedProviders } = await openOtherSites(core, {
    accounts,
    auth,
    rounds,
    teams,
  });
  const directory = createDirectory({
    db: store.db,
    settings,
    accounts,
    assignMember: (userId, organisation, member) => teams.assign(userId, organisation, member),
    audit: core.audit,
    clock,
    log,
  });
  const { version } = options;
  const setup = await createSetup({
    store,
    accounts,
    settings,
    sandbox,
    channels: core.channels,
    tokens,
    weighSecret: (name, ip, isRight) => auth.weighSecret(name, ip, isRight),
    rehearseImport: createImportRehearsal(importCommand),
    version,
    clock,
    log,
  });
  const status = openStatus(core, { setup, knownProviders, factors }, version);
  return {
    auth,
    accounts,
    tokens,
    teams,
    codes,
    factors,
    rounds,
    oauth,
    directory,
    knownProviders,
    addedProviders,
    setup,
    status,
  };
}
