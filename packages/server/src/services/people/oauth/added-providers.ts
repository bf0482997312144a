import {
  AppError,
  type InputOf,
  type ProviderCheck,
  type SignInProviderData,
  type signInProviderApi,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { changeMarks, type Db, identities, inTransaction, signInProviders } from '../../../store/index.ts';
import { type Audit, type AuditTarget, differences } from '../../site/audit/index.ts';
import { checkProvider, readProvider } from './check-provider.ts';
import {
  type KnownDeps,
  type KnownProviders,
  type Row,
  readAttributes,
  secretPlace,
  signInProvidersMark,
} from './known-providers.ts';
import { readSamlMetadata } from './saml.ts';

type Input<Name extends keyof typeof signInProviderApi> = InputOf<(typeof signInProviderApi)[Name]>;

export interface AddedProvidersDeps extends KnownDeps {
  known: KnownProviders;
  /** Ids of all enabled sign-in providers. */
  openWays(): readonly string[];
  /** Whether users can sign in by a password, and by a password reset by mail. */
  waysIn(): { byPassword: boolean; byMail: boolean };
  audit: Pick<Audit, 'record'>;
  clock: Clock;
}

/** Administration of the OpenID and SAML providers that root adds. Every function throws AppErrors. */
export interface AddedProviders {
  list(): Promise<SignInProviderData[]>;
  /** Reads the provider's document first. Throws `sign_in_slug_taken`, `sign_in_provider_unreachable` and more. */
  create(input: Input<'create'>): Promise<void>;
  /**
   * A new address is read first, and requires the secret again; an address of another issuer is refused while accounts
   * are bound.
   */
  update(input: Input<'update'>): Promise<void>;
  /** Deletes a provider and its bindings. Throws `sign_in_bindings_changed` if their number is not `bindings`. */
  remove(slug: string, bindings: number): Promise<void>;
  /** Reads the provider at an address. `siteAddress` is the public address of the site. */
  check(input: Input<'discover'>, siteAddress: string): Promise<ProviderCheck>;
}

export const createAddedProviders = (deps: AddedProvidersDeps): AddedProviders => ({
  list: () => list(deps),
  create: (input) => create(deps, input),
  update: (input) => update(deps, input),
  remove: (slug, bindings) => remove(deps, slug, bindings),
  check: (input, siteAddress) => check(deps, input, siteAddress),
});

const targetOf = ({ slug, name }: Pick<Row, 'slug' | 'name'>): AuditTarget => ({
  type: 'provider',
  id: slug,
  name,
});

/** Runs a change with its change mark in one transaction; when it resolves, this process has the change. */
async function changing(deps: AddedProvidersDeps, work: (db: Db) => Promise<void>): Promise<void> {
  await inTransaction(deps.db, async (db) => {
    await work(db);
    // Last, because another transaction with a mark waits for it.
    await changeMarks.mark(db, [signInProvidersMark]);
  });
  await deps.known.reload();
}

async function list(deps: AddedProvidersDeps): Promise<SignInProviderData[]> {
  const rows = await signInProviders.all(deps.db);
  const bindings = await identities.countByProvider(
    deps.db,
    rows.map(({ slug }) => slug),
  );
  const shown: SignInProviderData[] = [];
  for (const { client_secret_sealed: _sealed, ...row } of rows) {
    const others = deps.openWays().filter((id) => id !== row.slug);
    const count = bindings.get(row.slug) ?? 0;
    const only_way =
      count === 0 ? 0 : await identities.countOnlyWay(deps.db, row.slug, { ...deps.waysIn(), others });
    shown.push({
      ...row,
      attributes: readAttributes(row),
      enabled: row.enabled === 1,
      bindings: count,
      only_way,
    });
  }
  return shown;
}

async function create(deps: AddedProvidersDeps, input: Input<'create'>): Promise<void> {
  const { client_secret: secret, enabled, attributes, ...row } = input;
  const issuer = await findIssuer(deps, row, secret);
  await changing(deps, async (db) => {
    const isNew = await signInProviders.add(db, {
      ...row,
      attributes: JSON.stringify(attributes),
      issuer,
      client_secret_sealed: deps.sealer.seal(secret, secretPlace(row.slug)),
      enabled: enabled ? 1 : 0,
      created_time: seconds(deps.clock),
    });
    if (!isNew) throw new AppError('sign_in_slug_taken', { slug: row.slug });
    // Identities left by an earlier provider of this name would belong to other users here.
    await identities.removeProvider(db, row.slug);
    await deps.audit.record(db, { target: targetOf(row) });
  });
  deps.log.info({ provider: row.slug }, 'a provider for signing in was added');
}

const findOrFail = async (db: Db, slug: string): Promise<Row> => {
  const row = await signInProviders.find(db, slug);
  if (!row) throw new AppError('row_not_found');
  return row;
};

async function update(deps: AddedProvidersDeps, input: Input<'update'>): Promise<void> {
  const { slug, client_secret: typed, enabled, attributes, ...change } = input;
  const before = await findOrFail(deps.db, slug);
  const after = { ...before, ...withoutAbsent(change) };
  const isMoved = after.well_known !== before.well_known;
  // A user who may change an address must not receive the stored secret there.
  if (isMoved && typed === '' && before.kind === 'oidc') throw new AppError('sign_in_provider_secret_again');
  const isOpened = enabled === true && before.enabled === 0;
  const issuer = isMoved || isOpened ? await issuerAt(deps, after, typed) : before.issuer;
  await changing(deps, async (db) => {
    await findOrFail(db, slug);
    if (issuer !== before.issuer) await refuseBound(db, slug, issuer);
    const columns = {
      ...withoutAbsent(change),
      ...(attributes && { attributes: JSON.stringify(attributes) }),
      issuer,
      ...(typed !== '' && { client_secret_sealed: deps.sealer.seal(typed, secretPlace(slug)) }),
      ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
    };
    await signInProviders.update(db, slug, columns);
    await deps.audit.record(db, { target: targetOf(before), changes: differences(before, columns) });
  });
  deps.log.info({ provider: slug }, 'a provider for signing in was changed');
}

type Change = Omit<Input<'update'>, 'slug' | 'client_secret' | 'enabled' | 'attributes'>;

/** Only the fields that are present. */
const withoutAbsent = (change: Change): { [Name in keyof Change]?: NonNullable<Change[Name]> } =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

async function issuerAt(deps: AddedProvidersDeps, row: Row, typed: string): Promise<string> {
  const isStored = typed === '' && row.kind === 'oidc';
  const secret = isStored ? deps.sealer.open(row.client_secret_sealed, secretPlace(row.slug)) : typed;
  return findIssuer(deps, row, secret);
}

/** Reads a provider's document or metadata; returns its issuer. */
async function findIssuer(
  { http }: AddedProvidersDeps,
  row: Pick<Row, 'kind' | 'well_known' | 'client_id' | 'scopes'>,
  secret: string,
): Promise<string> {
  if (row.kind === 'saml') return (await readSamlMetadata(http, row.well_known)).issuer;
  const question = { address: row.well_known, client: { id: row.client_id, secret }, scopes: row.scopes };
  return (await readProvider(http, question)).serverMetadata().issuer;
}

/** The subjects of one issuer are other people at another issuer. */
async function refuseBound(db: Db, slug: string, issuer: string): Promise<void> {
  const count = (await identities.countByProvider(db, [slug])).get(slug) ?? 0;
  if (count > 0) throw new AppError('sign_in_provider_moved', { issuer, count });
}

async function remove(deps: AddedProvidersDeps, slug: string, bindings: number): Promise<void> {
  await changing(deps, async (db) => {
    const row = await findOrFail(db, slug);
    const count = await identities.removeProvider(db, slug);
    if (count !== bindings) throw new AppError('sign_in_bindings_changed', { count });
    await signInProviders.remove(db, slug);
    await deps.audit.record(db, { target: targetOf(row), note: { bindings } });
  });
  deps.log.info({ provider: slug, bindings }, 'a provider for signing in was deleted');
}

async function check(
  deps: AddedProvidersDeps,
  input: Input<'discover'>,
  siteAddress: string,
): Promise<ProviderCheck> {
  const { kind, well_known: address, client_id: id, scopes, slug } = input;
  if (kind === 'saml') {
    const { issuer, page } = await readSamlMetadata(deps.http, address);
    const none = {
      token_endpoint: '',
      userinfo_endpoint: '',
      scopes_unknown: [],
      client: 'unknown' as const,
    };
    return { issuer, authorization_endpoint: page, ...none };
  }
  const stored = slug === '' ? undefined : await signInProviders.find(deps.db, slug);
  const isItsOwn = stored?.well_known === address;
  const secret =
    input.client_secret ||
    (isItsOwn ? deps.sealer.open(stored.client_secret_sealed, secretPlace(stored.slug)) : '');
  const redirectUri = `${siteAddress}/oauth/${slug || 'a-trial'}`;
  return checkProvider(deps.http, { address, client: { id, secret }, scopes }, redirectUri);
}
