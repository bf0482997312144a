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
  name: string;
  logo: string;
  well_known: string;
  client_id: string;
  /** '' keeps the stored secret. */
  client_secret: string;
  scopes: string;
  enabled: boolean;
  position: number | string;
}

/** Initial values of a new provider; it comes last. */
export const newProvider = (count: number): ProviderForm => ({
  slug: '',
  name: '',
  logo: '',
  well_known: '',
  client_id: '',
  client_secret: '',
  scopes: usualScopes,
  enabled: true,
  position: count + 1,
});

export const formOf = ({
  slug,
  name,
  logo,
  well_known,
  client_id,
  scopes,
  enabled,
  position,
}: SignInProviderData): ProviderForm => ({
  slug,
  name,
  logo,
  well_known,
  client_id,
  client_secret: '',
  scopes,
  enabled,
  position,
});

/** The request of a form. */
export const inputOf = (values: ProviderForm): CallOf<typeof signInProviderApi.create> => ({
  slug: values.slug.trim(),
  name: values.name.trim(),
  logo: values.logo.trim(),
  well_known: values.well_known.trim(),
  client_id: values.client_id.trim(),
  client_secret: values.client_secret.trim(),
  scopes: values.scopes.trim(),
  enabled: values.enabled,
  position: Number(values.position) || 0,
});

/** The required fields; the server checks all others. */
export const providerRules = (t: Translate, isNew: boolean) => {
  const required = (value: string) => (value.trim() === '' ? t(text.required) : null);
  return {
    slug: required,
    name: required,
    well_known: required,
    client_id: required,
    client_secret: (value: string) => (isNew ? required(value) : null),
    scopes: required,
  };
};

/** A slug from a name: `My Company` → `my-company`; '' if no character is usable. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 32);

/** The redirect address for a provider. */
export const redirectOf = (serverAddress: string, slug: string): string =>
  slug === '' ? '' : `${serverAddress || window.location.origin}/oauth/${slug}`;
