import { AppError, type ErrorCode } from '@tollgate/contract';
import type { Profile } from '@node-saml/node-saml';
import { isObject } from '../../../lib/json.ts';
import type { ForeignIdentity } from '../accounts/index.ts';
import type { ProviderDeps, Round, SignInProvider } from './types.ts';

/** Names of a provider's attributes; '' for the usual ones. */
export interface SamlAttributes {
  email: string;
  name: string;
  groups: string;
}

/** A provider that root added. */
export interface SamlSource {
  id: string;
  name: string;
  /** Its entity id at the check. */
  issuer: string;
  /** Address of its metadata. */
  metadata: string;
  attributes: SamlAttributes;
  isEnabled(): boolean;
}

/** What the metadata of a provider says. */
export interface SamlMetadata {
  issuer: string;
  /** Address of the log-in page. */
  page: string;
  /** Certificates of its signatures, base64. */
  certificates: string[];
}

const timeoutMs = 5_000;
const maxMetadataBytes = 1024 * 1024;
/** Longest response, in characters of its XML. */
const maxResponse = 256 * 1024;
/** Metadata are read again after this time, so that a changed certificate counts. */
const keptMs = 15 * 60_000;
/** Tolerance for the clocks of both sides. */
const clockSkewMs = 60_000;
const maxAssertionAgeMs = 10 * 60_000;

const metadataSpace = 'urn:oasis:names:tc:SAML:2.0:metadata';
const signatureSpace = 'http://www.w3.org/2000/09/xmldsig#';
const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/** Usual names of attributes: short ones, those of LDAP, and those of Microsoft. */
const usual = {
  email: [
    'email',
    'mail',
    'urn:oid:0.9.2342.19200300.100.1.3',
    'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  ],
  name: [
    'displayName',
    'name',
    'urn:oid:2.16.840.1.113730.3.1.241',
    'http://schemas.microsoft.com/identity/claims/displayname',
  ],
  groups: [
    'groups',
    'memberOf',
    'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
  ],
} as const;

/** Libraries that read XML are loaded with the first use of a SAML provider. */
const library = () => import('@node-saml/node-saml');

/**
 * Throws for XML with a document type, comments, CDATA or instructions. No provider needs them, and with them programs
 * have read another text than the signed one.
 */
function requirePlainXml(xml: string): void {
  const body = xml.replace(/^\uFEFF?\s*<\?xml[^<>]*\?>/, '');
  if (/<[!?]/.test(body)) throw new Error('the XML has more than elements and texts');
}

/** Reads a provider's metadata. Throws `unreadable` with the reason. */
export async function readSamlMetadata(
  http: ProviderDeps['http'],
  address: string,
  unreadable: ErrorCode = 'sign_in_provider_unreachable',
): Promise<SamlMetadata> {
  try {
    const answer = await http.request(
      {
        method: 'GET',
        url: address,
        headers: { accept: 'application/samlmetadata+xml, application/xml' },
        scope: 'operator',
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxMetadataBytes,
    );
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    return await parseSamlMetadata(answer.body.toString());
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(unreadable, { reason: error instanceof Error ? error.message : String(error) }, error);
  }
}

/** The one identity provider of a metadata document. Throws if there is none, or if a sign-in cannot use it. */
async function parseSamlMetadata(xml: string): Promise<SamlMetadata> {
  // Comments have no effect here: nothing of this document is signed, and its address is trusted.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw new Error('the metadata have a document type');
  const { DOMParser } = await import('@xmldom/xmldom');
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const errorHandler = { warning: () => undefined, error: fail, fatalError: fail };
  const document = new DOMParser({ errorHandler }).parseFromString(xml, 'text/xml');
  const found = document.getElementsByTagNameNS(metadataSpace, 'IDPSSODescriptor');
  const descriptor = found.item(0);
  if (!descriptor || found.length !== 1)
    throw new Error(`${found.length} identity providers in the metadata`);
  const entity = descriptor.parentNode as Element;
  const pages = descriptor.getElementsByTagNameNS(metadataSpace, 'SingleSignOnService');
  let page = '';
  for (let at = 0; at < pages.length; at += 1)
    if (pages.item(at)?.getAttribute('Binding') === redirectBinding)
      page = pages.item(at)!.getAttribute('Location') ?? '';
  const certificates: string[] = [];
  const keys = descriptor.getElementsByTagNameNS(metadataSpace, 'KeyDescriptor');
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys.item(at)!;
    if (key.getAttribute('use') === 'encryption') continue;
    const texts = key.getElementsByTagNameNS(signatureSpace, 'X509Certificate');
    for (let each = 0; each < texts.length; each += 1)
      certificates.push((texts.item(each)?.textContent ?? '').replaceAll(/\s+/g, ''));
  }
  const issuer = entity.getAttribute('entityID') ?? '';
  if (issuer === '') throw new Error('no entityID in the metadata');
  if (!/^https?:\/\//.test(page))
    throw new Error('no SingleSignOnService with HTTP-Redirect in the metadata');
  if (certificates.length === 0) throw new Error('no signing certificate in the metadata');
  return { issuer, page, certificates };
}

const escaped = (text: string): string => text.replaceAll(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The address of this site's metadata and of its responses, which is its entity id too. */
export const samlAddress = (site: string, slug: string): string => `${site}/api/oauth/saml/${slug}`;

/** The site's metadata for a provider. */
export const describeSite = (address: string): string =>
  `<?xml version="1.0"?>\n<EntityDescriptor xmlns="${metadataSpace}" entityID="${escaped(address)}">` +
  `<SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">` +
  `<AssertionConsumerService Binding="${postBinding}" Location="${escaped(address)}" index="0" isDefault="true"/>` +
  `</SPSSODescriptor></EntityDescriptor>\n`;

/** Id of the request of a round: an XML name. */
const requestOf = ({ nonce }: Round): string => `_${nonce}`;

/** The address of responses of a round. */
const consumerOf = ({ redirectUri }: Round): string =>
  redirectUri.replace(/\/oauth\/([^/]*)$/, '/api/oauth/saml/$1');

/** The library for one round: its request is the only one that a response may answer. */
async function openSaml({ page, certificates }: SamlMetadata, round: Round) {
  const { SAML, ValidateInResponseTo } = await library();
  const address = consumerOf(round);
  const id = requestOf(round);
  return new SAML({
    entryPoint: page,
    issuer: address,
    audience: address,
    callbackUrl: address,
    idpCert: certificates,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    validateInResponseTo: ValidateInResponseTo.always,
    cacheProvider: {
      saveAsync: async (_key, value) => ({ createdAt: Date.now(), value }),
      getAsync: async (key) => (key === id ? new Date().toISOString() : null),
      removeAsync: async (key) => key,
    },
    generateUniqueId: () => id,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    acceptedClockSkewMs: clockSkewMs,
    maxAssertionAgeMs,
  });
}

const first = (value: unknown): Record<string, unknown> | undefined => {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(one) ? one : undefined;
};

/**
 * Throws unless the signed assertion is for this round: the library neither checks the recipient nor requires the
 * request in the signed part.
 */
function requireOurs(profile: Profile, round: Round): void {
  const assertion = first(first(profile.getAssertion?.())?.['Assertion']);
  const confirmations = first(assertion?.['Subject'])?.['SubjectConfirmation'];
  const isOurs = (each: unknown): boolean => {
    const confirmation = first(each);
    const data = first(first(confirmation?.['SubjectConfirmationData'])?.['$']);
    return (
      first(confirmation?.['$'])?.['Method'] === bearer &&
      data?.['Recipient'] === consumerOf(round) &&
      data['InResponseTo'] === requestOf(round) &&
      Date.parse(String(data['NotOnOrAfter'])) + clockSkewMs > Date.now()
    );
  };
  if (!Array.isArray(confirmations) || !confirmations.some(isOurs))
    throw new Error('the assertion is not for this sign-in');
}

/** Texts of an attribute, by its own name or else by the first usual one that is there. */
function textsOf(
  attributes: Readonly<Record<string, unknown>>,
  own: string,
  names: readonly string[],
): string[] {
  const name = own === '' ? names.find((each) => Object.hasOwn(attributes, each)) : own;
  const value = name !== undefined && Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter((each) => typeof each === 'string');
}

/** The user of a response. Throws if it is not a signed answer to the request of this round. */
async function readResponse(
  source: SamlSource,
  metadata: SamlMetadata,
  round: Round,
  response: string,
): Promise<ForeignIdentity> {
  const xml = Buffer.from(response, 'base64').toString();
  if (xml.length > maxResponse) throw new Error('the response is too long');
  requirePlainXml(xml);
  if (/xmldsig#(?:rsa-sha1|sha1|hmac)|#hmac-/i.test(xml)) throw new Error('the signature is a weak one');
  const saml = await openSaml(metadata, round);
  const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: response });
  if (!profile) throw new Error('the response has no assertion');
  if (profile.issuer !== metadata.issuer) throw new Error('the assertion has another issuer');
  requireOurs(profile, round);
  if (!profile.nameID || profile.nameIDFormat === transient)
    throw new Error('the assertion has no lasting NameID');
  const attributes = isObject(profile['attributes']) ? profile['attributes'] : {};
  const groups = textsOf(attributes, source.attributes.groups, usual.groups);
  const [email = ''] = textsOf(attributes, source.attributes.email, usual.email);
  const [name] = textsOf(attributes, source.attributes.name, usual.name);
  return {
    provider: source.id,
    subject: profile.nameID,
    providerName: source.name,
    username: '',
    displayName: name ?? `${source.name} User`,
    email,
    claims: { ...attributes, groups },
  };
}

/** A SAML 2.0 provider as a way to sign in. A response without a request of this site is refused. */
export function samlProvider(source: SamlSource, http: ProviderDeps['http']): SignInProvider {
  let kept: { until: number; metadata: Promise<SamlMetadata> } | undefined;
  const metadata = async (): Promise<SamlMetadata> => {
    if (!kept || Date.now() >= kept.until) {
      kept = {
        until: Date.now() + keptMs,
        metadata: readSamlMetadata(http, source.metadata, 'oauth_unreachable'),
      };
      kept.metadata.catch(() => (kept = undefined));
    }
    const found = await kept.metadata;
    // Names of another issuer would be other people.
    if (found.issuer !== source.issuer) throw new Error(`the metadata name the issuer ${found.issuer}`);
    return found;
  };
  return {
    id: source.id,
    name: source.name,
    isEnabled: () => source.isEnabled(),
    async pageFor(round) {
      const saml = await openSaml(await metadata(), round);
      return saml.getAuthorizeUrlAsync(round.state, undefined, {});
    },
    async identify({ answer }) {
      if (answer === undefined) throw new Error('the provider has not answered');
      return JSON.parse(answer) as ForeignIdentity;
    },
    receive: async (round, response) => readResponse(source, await metadata(), round, response),
  };
}
