import {
  AppError,
  type InputOf,
  type ProviderCheck,
  type SignInProviderData,
  type signInProviderApi,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../lib/clock.ts';
import { changeMarks, type Db, identities, inTransaction, signInProviders } from '../../store/index.ts';
import { type Audit, type AuditTarget, differences } from '../audit/index.ts';
import { checkProvider, readProvider } from './check-provider.ts';
import {
  type KnownDeps,
  type KnownProviders,
  type Row,
  secretPlace,
  signInProvidersMark,
} from './known-providers.ts';

type Input<Name extends keyof typeof signInProviderApi> = InputOf<(typeof signInProviderApi)[Name]>;

export interface AddedProvidersDeps extends KnownDeps {
  known: KnownProviders;
  /** Ids of all ways through other sites that are open. */
  openWays(): readonly string[];
  /** Whether a password, and a password that comes by mail, let people in. */
  waysIn(): { byPassword: boolean; byMail: boolean };
  audit: Pick<Audit, 'record'>;
  clock: Clock;
}

/** The OpenID providers that root adds: how they are kept. Every act throws its refusal as an AppError. */
export interface AddedProviders {
  list(): Promise<SignInProviderData[]>;
  /** Reads the provider's document first. Throws `sign_in_slug_taken`, `sign_in_provider_unreachable` and more. */
  create(input: Input<'create'>): Promise<void>;
  /** Another address is read first, and needs the secret again; one of another issuer is refused while accounts are bound. */
  update(input: Input<'update'>): Promise<void>;
  /** Deletes a provider and its bindings. Throws `sign_in_bindings_changed` when there are not `bindings` of them. */
  remove(slug: string, bindings: number): Promise<void>;
  /** What is at an address. `siteAddress` is the site as its users know it. */
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

/** Runs a change with its mark in one transaction; when it answers, this process knows it. */
async function changing(deps: AddedProvidersDeps, work: (db: Db) => Promise<void>): Promise<void> {
  await inTransaction(deps.db, async (db) => {
    await work(db);
    // Last, because another one that marks at the same time waits for it.
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
    shown.push({ ...row, enabled: row.enabled === 1, bindings: count, only_way });
  }
  return shown;
}

async function create(deps: AddedProvidersDeps, input: Input<'create'>): Promise<void> {
  const { client_secret: secret, enabled, ...row } = input;
  const client = { id: row.client_id, secret };
  const found = await readProvider(deps.http, { address: row.well_known, client, scopes: row.scopes });
  await changing(deps, async (db) => {
    const isNew = await signInProviders.add(db, {
      ...row,
      issuer: found.serverMetadata().issuer,
      client_secret_sealed: deps.sealer.seal(secret, secretPlace(row.slug)),
      enabled: enabled ? 1 : 0,
      created_time: seconds(deps.clock),
    });
    if (!isNew) throw new AppError('sign_in_slug_taken', { slug: row.slug });
    // What an earlier provider of this name left behind would be somebody else here.
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
  const { slug, client_secret: typed, enabled, ...change } = input;
  const before = await findOrFail(deps.db, slug);
  const after = { ...before, ...withoutAbsent(change) };
  const isMoved = after.well_known !== before.well_known;
  // Who may change an address must not get the stored secret sent there.
  if (isMoved && typed === '') throw new AppError('sign_in_provider_secret_again');
  const isOpened = enabled === true && before.enabled === 0;
  const issuer = isMoved || isOpened ? await issuerAt(deps, after, typed) : before.issuer;
  await changing(deps, async (db) => {
    await findOrFail(db, slug);
    if (issuer !== before.issuer) await refuseBound(db, slug, issuer);
    const columns = {
      ...withoutAbsent(change),
      issuer,
      ...(typed !== '' && { client_secret_sealed: deps.sealer.seal(typed, secretPlace(slug)) }),
      ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
    };
    await signInProviders.update(db, slug, columns);
    await deps.audit.record(db, { target: targetOf(before), changes: differences(before, columns) });
  });
  deps.log.info({ provider: slug }, 'a provider for signing in was changed');
}

type Change = Omit<Input<'update'>, 'slug' | 'client_secret' | 'enabled'>;

/** Only the fields that are there. */
const withoutAbsent = (change: Change): { [Name in keyof Change]?: NonNullable<Change[Name]> } =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

async function issuerAt(deps: AddedProvidersDeps, row: Row, typed: string): Promise<string> {
  const secret = typed || deps.sealer.open(row.client_secret_sealed, secretPlace(row.slug));
  const question = { address: row.well_known, client: { id: row.client_id, secret }, scopes: row.scopes };
  return (await readProvider(deps.http, question)).serverMetadata().issuer;
}

/** The subjects of one issuer mean other people at another. */
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
  const { well_known: address, client_id: id, scopes, slug } = input;
  const stored = slug === '' ? undefined : await signInProviders.find(deps.db, slug);
  const isItsOwn = stored?.well_known === address;
  const secret =
    input.client_secret ||
    (isItsOwn ? deps.sealer.open(stored.client_secret_sealed, secretPlace(stored.slug)) : '');
  const redirectUri = `${siteAddress}/oauth/${slug || 'a-trial'}`;
  return checkProvider(deps.http, { address, client: { id, secret }, scopes }, redirectUri);
}
