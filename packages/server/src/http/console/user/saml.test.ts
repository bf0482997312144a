import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import {
  oauthApi,
  role,
  type SignInProviderData,
  signInProviderApi,
  statusApi,
  userApi,
} from '@tollgate/contract';
import { makeRsaCertificate } from '@tollgate/http-engine/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SignedXml } from 'xml-crypto';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import { type House, openHouse } from '../../../testing/harness.ts';

// The provider is played here: requests are read, and responses are written and signed, with its own keys.

const site = 'https://gate.example';
const issuer = 'https://idp.example/entity';
const consumer = `${site}/api/oauth/saml/corp`;
const ours = makeRsaCertificate();
const others = makeRsaCertificate();

let idp: Server;
let metadataAddress: string;
let metadata: string;
let house: House;
let root: Agent;
const bare = (pem: string): string => pem.replaceAll(/-----[^-]+-----|\s/g, '');
const metadataOf = (key: string, entity = issuer): string =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entity}">` +
  `<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">` +
  `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${bare(key)}` +
  `</X509Certificate></X509Data></KeyInfo></KeyDescriptor>` +
  `<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/login"/>` +
  `</IDPSSODescriptor></EntityDescriptor>`;

beforeAll(async () => {
  idp = createServer((_request, answer) => answer.end(metadata));
  await new Promise<void>((resolve) => idp.listen(0, '127.0.0.1', resolve));
  metadataAddress = `http://127.0.0.1:${(idp.address() as AddressInfo).port}/metadata`;
});
afterAll(() => idp.close());
beforeEach(async () => {
  metadata = metadataOf(ours.cert);
  house = await openHouse();
  // Times in assertions are those of the machine.
  house.time.ms = Date.now();
  await house.core.settings.setMany({ ServerAddress: site });
  root = await house.person('root', { role: role.root });
  await root.must(signInProviderApi.create, provider);
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const provider = {
  slug: 'corp',
  name: 'Corp',
  kind: 'saml' as const,
  get well_known() {
    return metadataAddress;
  },
};

interface Round {
  browser: Agent;
  state: string;
  request: string;
}

/** Goes from the log-in page to the provider. */
async function begin(browser = createAgent(house.app)): Promise<Round> {
  const started = await browser.call(oauthApi.start, { provider: 'corp', aff: '' });
  browser.headers.cookie =
    started.cookies.find((line) => line.startsWith('sign-in='))?.split(';', 1)[0] ?? '';
  const page = new URL(String(started.body.data));
  expect(page.origin + page.pathname).toBe('https://idp.example/login');
  const xml = inflateRawSync(Buffer.from(page.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  expect(xml).toContain(`AssertionConsumerServiceURL="${consumer}"`);
  return {
    browser,
    state: page.searchParams.get('RelayState') ?? '',
    request: / ID="([^"]+)"/.exec(xml)?.[1] ?? '',
  };
}

interface Said {
  name: string;
  nameFormat?: string;
  request: string;
  id?: string;
  groups?: readonly string[];
  audience?: string;
  recipient?: string;
  entity?: string;
  /** Seconds until it ends. */
  life?: number;
  confirmation?: string;
}

const at = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

function assertionOf({
  name,
  request,
  id = '_assertion',
  groups = ['Staff'],
  life = 300,
  ...more
}: Said): string {
  const { audience = consumer, recipient = consumer, entity = issuer } = more;
  const { nameFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified' } = more;
  const {
    confirmation = `<saml:SubjectConfirmationData InResponseTo="${request}" NotOnOrAfter="${at(life)}" Recipient="${recipient}"/>`,
  } = more;
  const attribute = (key: string, values: readonly string[]): string =>
    `<saml:Attribute Name="${key}">${values.map((each) => `<saml:AttributeValue>${each}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
  return (
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${at(life - 300)}">` +
    `<saml:Issuer>${entity}</saml:Issuer><saml:Subject><saml:NameID Format="${nameFormat}">${name}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">${confirmation}</saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${at(life - 360)}" NotOnOrAfter="${at(life)}"><saml:AudienceRestriction><saml:Audience>${audience}` +
    `</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AttributeStatement>` +
    attribute('mail', [`${name.slice(0, 8)}@corp.example`]) +
    attribute('displayName', ['Ann Lee']) +
    attribute('groups', groups) +
    `</saml:AttributeStatement></saml:Assertion>`
  );
}

const responseOf = (request: string, inner: string): string =>
  `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_response" Version="2.0" IssueInstant="${at(0)}" ` +
  `InResponseTo="${request}" Destination="${consumer}"><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>` +
  `</samlp:Status>${inner}</samlp:Response>`;

const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** Signs the element with this local name. */
function sign(xml: string, element: 'Assertion' | 'Response', key = ours, weak = false): string {
  const signer = new SignedXml({
    privateKey: key.key,
    signatureAlgorithm: weak
      ? 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
      : 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: exclusive,
  });
  signer.addReference({
    xpath: `//*[local-name(.)='${element}']`,
    digestAlgorithm: weak
      ? 'http://www.w3.org/2000/09/xmldsig#sha1'
      : 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive],
  });
  signer.computeSignature(xml, {
    location: { reference: `//*[local-name(.)='${element}']/*[1]`, action: 'after' },
  });
  return signer.getSignedXml();
}

/** Posts a response as the provider's page lets the browser do, and ends the round. */
async function end({ browser, state }: Round, xml: string) {
  const posted = await createAgent(house.app).send({
    method: 'POST',
    url: '/api/oauth/saml/corp',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://idp.example',
      'sec-fetch-site': 'cross-site',
    },
    payload: new URLSearchParams({
      SAMLResponse: Buffer.from(xml).toString('base64'),
      RelayState: state,
    }).toString(),
  });
  expect(posted.status).toBe(303);
  const back = new URL(String(posted.headers['location']));
  expect(back.origin + back.pathname).toBe(`${site}/oauth/corp`);
  const { body } = await browser.call(oauthApi.callback, {
    provider: 'corp',
    ...Object.fromEntries(back.searchParams),
  });
  return { body, code: body.code, id: (body.data as { id: number } | null)?.id ?? 0 };
}

const signed = (said: Said, key = ours): string =>
  sign(responseOf(said.request, assertionOf(said)), 'Assertion', key);

describe('a SAML provider', () => {
  it('signs users up and in, with what the rules say about their groups', async () => {
    await house.core.settings.setMany({
      RegisterEnabled: 'false',
      SignInRules: JSON.stringify({ corp: { rules: [{ value: 'Staff', group: 'vip' }] } }),
    });
    const first = await begin();
    const { id, body } = await end(
      first,
      signed({ name: 'ann-0001', request: first.request, groups: ['X', 'Staff'] }),
    );
    expect(body).toMatchObject({ success: true });
    expect(await root.must(userApi.get, { id })).toMatchObject({
      display_name: 'Ann Lee',
      email: 'ann-0001@corp.example',
      group: 'vip',
      bindings: ['corp'],
    });
    const second = await begin();
    // The whole response may be signed as well.
    const both = sign(signed({ name: 'ann-0001', request: second.request }), 'Response');
    expect((await end(second, both)).id).toBe(id);
    const third = await begin();
    const none = signed({ name: 'ann-0001', request: third.request, groups: [] });
    expect((await end(third, none)).code).toBe('sign_in_no_rule');
  });

  it('is set up from its metadata, and describes the site to it', async () => {
    const [shown] = (await root.must(signInProviderApi.list, {})) as SignInProviderData[];
    expect(shown).toMatchObject({ kind: 'saml', issuer, well_known: metadataAddress });
    expect((await house.guest.call(statusApi.status, {})).body.data).toMatchObject({
      custom_oauth_providers: [{ slug: 'corp', name: 'Corp' }],
    });
    const found = await root.must(signInProviderApi.discover, { kind: 'saml', well_known: metadataAddress });
    expect(found).toMatchObject({ issuer, authorization_endpoint: 'https://idp.example/login' });
    const { body, headers } = await house.guest.send({ url: '/api/oauth/saml/corp' });
    expect(headers['content-type']).toContain('application/samlmetadata+xml');
    expect(body.message).toContain(`entityID="${consumer}"`);
    expect((await house.guest.send({ url: '/api/oauth/saml/none' })).body.code).toBe('row_not_found');
    const slug = 'bad';
    for (const text of [
      '',
      '<a/>',
      metadataOf(ours.cert).replace('HTTP-Redirect', 'HTTP-POST'),
      metadataOf(ours.cert).replace(/<KeyDescriptor.*<\/KeyDescriptor>/, ''),
      `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${metadataOf(ours.cert)}`,
    ]) {
      metadata = text;
      const refused = await root.call(signInProviderApi.create, {
        ...provider,
        slug,
        well_known: metadataAddress,
      });
      expect(refused.body.code, text).toBe('sign_in_provider_unreachable');
    }
    const oidc = { slug, name: 'x', well_known: metadataAddress };
    expect((await root.call(signInProviderApi.create, oidc)).body.code).toBe('sign_in_client_missing');
  });

  it('takes its attributes from the names that root entered', async () => {
    await root.must(signInProviderApi.update, {
      slug: 'corp',
      attributes: { email: 'absent', name: 'mail', groups: 'displayName' },
    });
    await house.core.settings.setMany({
      SignInRules: JSON.stringify({ corp: { rules: [{ value: 'Ann Lee' }] } }),
    });
    const round = await begin();
    const { id } = await end(round, signed({ name: 'ann-0002', request: round.request }));
    expect(await root.must(userApi.get, { id })).toMatchObject({
      email: '',
      display_name: 'ann-0002@corp.exampl',
    });
  });
});

describe('a SAML response is refused', () => {
  const attacks: [what: string, reason: string, attack: (round: Round) => string][] = [
    [
      'unsigned',
      'Invalid signature',
      ({ request }) => responseOf(request, assertionOf({ name: 'eve', request })),
    ],
    ['signed by another key', 'Invalid signature', ({ request }) => signed({ name: 'eve', request }, others)],
    [
      'with only the response signed',
      'Invalid signature',
      ({ request }) => sign(responseOf(request, assertionOf({ name: 'eve', request })), 'Response'),
    ],
    [
      'changed after it was signed',
      'Invalid signature',
      ({ request }) => signed({ name: 'ann', request }).replace('>ann<', '>eve<'),
    ],
    [
      'for another audience',
      'audience mismatch',
      ({ request }) => signed({ name: 'eve', request, audience: 'https://other.example' }),
    ],
    [
      'for another recipient',
      'not for this sign-in',
      ({ request }) => signed({ name: 'eve', request, recipient: 'https://other.example' }),
    ],
    [
      'of another issuer',
      'another issuer',
      ({ request }) => signed({ name: 'eve', request, entity: 'https://evil.example' }),
    ],
    [
      'that has ended',
      'No valid subject confirmation',
      ({ request }) => signed({ name: 'eve', request, life: -120 }),
    ],
    ['that begins later', 'not yet valid', ({ request }) => signed({ name: 'eve', request, life: 3_600 })],
    ['to another request', 'InResponseTo is not valid', () => signed({ name: 'eve', request: '_another' })],
    [
      'with a request outside the signature only',
      'not for this sign-in',
      ({ request }) =>
        signed({
          name: 'eve',
          request,
          confirmation: `<saml:SubjectConfirmationData NotOnOrAfter="${at(300)}" Recipient="${consumer}"/>`,
        }),
    ],
    [
      'to no request',
      'InResponseTo is missing',
      ({ request }) =>
        signed({ name: 'eve', request }).replace(` InResponseTo="${request}" Destination`, ' Destination'),
    ],
    [
      'with a second assertion before the signed one',
      'multiple assertions',
      ({ request }) =>
        signed({ name: 'ann', request }).replace(
          '</samlp:Status>',
          `</samlp:Status>${assertionOf({ name: 'eve', request, id: '_evil' })}`,
        ),
    ],
    [
      'with the signed assertion wrapped in another one',
      'Invalid signature',
      ({ request }) => {
        const inner = /<saml:Assertion.*<\/saml:Assertion>/s.exec(signed({ name: 'ann', request }))![0];
        const evil = assertionOf({ name: 'eve', request, id: '_evil' });
        return responseOf(
          request,
          evil.replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${inner}</samlp:Extensions>`),
        );
      },
    ],
    [
      'with the signature moved to another assertion',
      'refer to it',
      ({ request }) => {
        const whole = signed({ name: 'ann', request });
        const inner = /<saml:Assertion.*<\/saml:Assertion>/s.exec(whole)![0];
        const signature = /<Signature.*<\/Signature>/s.exec(inner)![0];
        const evil = assertionOf({ name: 'eve', request, id: '_evil' }).replace(
          '</saml:Issuer>',
          `</saml:Issuer>${signature}`,
        );
        return responseOf(
          request,
          `<samlp:Extensions>${inner.replace(signature, '')}</samlp:Extensions>${evil}`,
        );
      },
    ],
    [
      'with the same id twice',
      'more than one element',
      ({ request }) => {
        const inner = /<saml:Assertion.*<\/saml:Assertion>/s.exec(signed({ name: 'ann', request }))![0];
        return responseOf(
          request,
          `${inner}<samlp:Extensions>${assertionOf({ name: 'eve', request })}</samlp:Extensions>`,
        );
      },
    ],
    [
      'with a comment in the name',
      'more than elements',
      ({ request }) => signed({ name: 'root.evil', request }).replace('root.evil', 'root<!-- x -->.evil'),
    ],
    [
      'with an external entity',
      'more than elements',
      ({ request }) =>
        `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${signed({ name: 'eve', request })}`,
    ],
    [
      'with an instruction',
      'more than elements',
      ({ request }) => signed({ name: 'eve', request }).replace('<samlp:Status>', '<?x y?><samlp:Status>'),
    ],
    [
      'signed by SHA-1',
      'a weak one',
      ({ request }) =>
        sign(responseOf(request, assertionOf({ name: 'eve', request })), 'Assertion', ours, true),
    ],
    [
      'with a passing name',
      'no lasting NameID',
      ({ request }) =>
        signed({ name: 'eve', request, nameFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
    ],
    ['without a name', 'no lasting NameID', ({ request }) => signed({ name: '', request })],
    ['that is none', 'Not a valid XML', () => 'hello'],
    ['that is empty', 'invalid doc', () => ''],
    ['that is endless', 'too long', ({ request }) => signed({ name: 'e'.repeat(300_000), request })],
  ];

  it.each(attacks)('%s', async (_what, reason, attack) => {
    const round = await begin();
    const warn = vi.spyOn(house.core.log, 'warn');
    expect((await end(round, attack(round))).code).toBe('oauth_unreachable');
    expect(String((warn.mock.calls[0]![0] as { err: Error }).err.message)).toContain(reason);
    const found = await root.must(userApi.search, { keyword: 'corp', p: 1, page_size: 10 });
    expect(found).toMatchObject({ items: [] });
  });

  it('the second time, and in another browser', async () => {
    const round = await begin();
    const xml = signed({ name: 'ann-0003', request: round.request });
    // The browser of the attacker posts it, and cannot end the round.
    const thief = { ...round, browser: createAgent(house.app) };
    thief.browser.headers.cookie = 'sign-in=something-else';
    expect((await end(thief, xml)).code).toBe('oauth_state_wrong');
    // The round is over: nobody can end it after a wrong browser tried.
    expect((await end(round, xml)).code).toBe('oauth_state_wrong');
    const again = await begin();
    const other = signed({ name: 'ann-0003', request: again.request });
    expect((await end(again, other)).body).toMatchObject({ success: true });
    expect((await end(again, other)).code).toBe('oauth_state_wrong');
    // A victim's browser cannot be made to end a round that the attacker began.
    const victim = createAgent(house.app);
    const mine = await begin();
    const reply = await end({ ...mine, browser: victim }, signed({ name: 'eve', request: mine.request }));
    expect(reply.code).toBe('oauth_state_wrong');
  });

  it('after the provider has become another one', async () => {
    const round = await begin();
    metadata = metadataOf(others.cert, 'https://other.example');
    house.time.ms += 1_000;
    const moved = await root.call(signInProviderApi.update, {
      slug: 'corp',
      well_known: `${metadataAddress}/2`,
    });
    expect(moved.body).toMatchObject({ success: true });
    expect((await end(round, signed({ name: 'eve', request: round.request }))).code).toBe(
      'oauth_unreachable',
    );
  });
});
