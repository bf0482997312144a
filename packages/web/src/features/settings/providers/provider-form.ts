import {
  type CallOf,
  type SignInProviderData,
  type signInProviderApi,
  usualScopes,
} from '@tollgate/contract';
import type { Translate } from '../../../lib/i18n.ts';
import { providerText as text } from './text.ts';

/** The fields of the drawer. */
export interface ProviderForm extends Record<string, unknown> {
  slug: string;
  kind: SignInProviderData['kind'];
  name: string;
  logo: string;
  well_known: string;
  client_id: string;
  /** '' keeps the stored secret. */
  client_secret: string;
  scopes: string;
  /** Names of the attributes of SAML; '' for the usual ones. */
  attributes: SignInProviderData['attributes'];
  enabled: boolean;
  position: number | string;
}

/** Initial values of a new provider; it comes last. */
export const newProvider = (count: number): ProviderForm => ({
  slug: '',
  kind: 'oidc',
  name: '',
  logo: '',
  well_known: '',
  client_id: '',
  client_secret: '',
  scopes: usualScopes,
  attributes: { email: '', name: '', groups: '' },
  enabled: true,
  position: count + 1,
});

export const formOf = ({
  slug,
  kind,
  name,
  logo,
  well_known,
  client_id,
  scopes,
  attributes,
  enabled,
  position,
}: SignInProviderData): ProviderForm => ({
  slug,
  kind,
  name,
  logo,
  well_known,
  client_id,
  client_secret: '',
  scopes,
  attributes,
  enabled,
  position,
});

/** The request of a form. SAML has neither client nor scopes, and OpenID no names of attributes. */
export const inputOf = (values: ProviderForm): CallOf<typeof signInProviderApi.create> => ({
  slug: values.slug.trim(),
  kind: values.kind,
  name: values.name.trim(),
  logo: values.logo.trim(),
  well_known: values.well_known.trim(),
  ...(values.kind === 'oidc'
    ? {
        client_id: values.client_id.trim(),
        client_secret: values.client_secret.trim(),
        scopes: values.scopes.trim(),
      }
    : { attributes: values.attributes }),
  enabled: values.enabled,
  position: Number(values.position) || 0,
});

/** The required fields; the server checks all others. */
export const providerRules = (t: Translate, isNew: boolean) => {
  const required = (value: string) => (value.trim() === '' ? t(text.required) : null);
  const forClient = (value: string, { kind }: ProviderForm) => (kind === 'oidc' ? required(value) : null);
  return {
    slug: required,
    name: required,
    well_known: required,
    client_id: forClient,
    client_secret: (value: string, form: ProviderForm) => (isNew ? forClient(value, form) : null),
    scopes: forClient,
  };
};

/** A slug from a name: `My Company` → `my-company`; '' if no character is usable. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 32);

/** The address that a provider needs: where it redirects, or the site's metadata for SAML. */
export const redirectOf = (
  serverAddress: string,
  { kind, slug }: Pick<ProviderForm, 'kind' | 'slug'>,
): string => {
  const site = serverAddress || window.location.origin;
  if (slug.trim() === '') return '';
  return `${site}${kind === 'saml' ? '/api/oauth/saml/' : '/oauth/'}${slug.trim()}`;
};
