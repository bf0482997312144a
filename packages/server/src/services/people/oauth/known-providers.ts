import type { PublicSignInProvider } from '@tollgate/contract';
import type { Log } from '../../../lib/log.ts';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { sharedRun } from '../../../lib/shared-run.ts';
import { type Db, signInProviders } from '../../../store/index.ts';
import { oidcProvider } from './oidc.ts';
import { type SamlAttributes, samlProvider } from './saml.ts';
import type { ProviderDeps, SignInProvider } from './types.ts';

export type Row = signInProviders.SignInProviderRow;

export interface KnownDeps {
  db: Db;
  sealer: Sealer;
  http: ProviderDeps['http'];
  log: Log;
}

/** The change mark of the providers that root added. */
export const signInProvidersMark = 'sign-in-providers';

/** The seal place of a provider's secret. */
export const secretPlace = (slug: string): SealPlace => ({
  column: 'sign_in_providers.client_secret',
  row: slug,
});

/** The names of attributes that root entered. */
export const readAttributes = ({ attributes }: Pick<Row, 'attributes'>): SamlAttributes => ({
  email: '',
  name: '',
  groups: '',
  ...(JSON.parse(attributes) as Partial<SamlAttributes>),
});

interface Known {
  row: Row;
  provider: SignInProvider;
}

/** The providers that root added, in memory, because the log-in page and every sign-in need them. */
export class KnownProviders {
  private readonly deps: KnownDeps;
  private known: readonly Known[] = [];

  constructor(deps: KnownDeps) {
    this.deps = deps;
  }

  /** Reads the providers again. An unchanged provider keeps its cached discovery. */
  readonly reload = sharedRun(() => this.read());

  private async read(): Promise<void> {
    const rows = await signInProviders.all(this.deps.db);
    this.known = rows.flatMap((row) => {
      const same = this.known.find((each) => JSON.stringify(each.row) === JSON.stringify(row));
      return same ?? this.openRow(row) ?? [];
    });
  }

  find(slug: string): SignInProvider | undefined {
    return this.known.find(({ row }) => row.slug === slug)?.provider;
  }

  /** Ids of the enabled providers. */
  open(): string[] {
    return this.published().map(({ slug }) => slug);
  }

  /** The public data of the enabled providers, in the order of their buttons. */
  published(): PublicSignInProvider[] {
    return this.known
      .filter(({ row }) => row.enabled === 1)
      .map(({ row: { slug, name, logo } }) => ({ slug, name, logo }));
  }

  /** A provider whose secret cannot be decrypted (another master key) cannot be used, and is reported. */
  private openRow(row: Row): Known | undefined {
    const { sealer, http, log } = this.deps;
    try {
      const { slug: id, name, issuer } = row;
      const isEnabled = () => row.enabled === 1;
      if (row.kind === 'saml') {
        const attributes = readAttributes(row);
        const source = { id, name, issuer, metadata: row.well_known, attributes, isEnabled };
        return { row, provider: samlProvider(source, http) };
      }
      const secret = sealer.open(row.client_secret_sealed, secretPlace(row.slug));
      const source = {
        id,
        name,
        scopes: row.scopes,
        issuer,
        isEnabled,
        addresses: () => ({ wellKnown: row.well_known, authorization: '', token: '', userInfo: '' }),
        client: () => ({ id: row.client_id, secret }),
      };
      return { row, provider: oidcProvider(source, http) };
    } catch (error) {
      log.error({ provider: row.slug, reason: String(error) }, 'the secret of a provider cannot be opened');
      return undefined;
    }
  }
}
