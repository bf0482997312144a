import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from '@tollgate/contract';
import { makeTestCertificate } from '@tollgate/http-engine/testing';
import { vi } from 'vitest';
import { boot, type RunningSite } from '../../boot/boot.ts';
import { readEnv } from '../../boot/env.ts';
import { type FakeUpstream, startFakeUpstream } from '../upstream/fake-upstream.ts';
import { type FakeUsageVendors, openUsageVendors } from '../upstream/usage-vendors.ts';
import { startStripeSimulator, type StripeSimulator } from '../upstream/stripe-simulator.ts';
import { type MailServer, startMailServer } from '../upstream/mail-server.ts';
import { type OpenidProvider, startOpenidProvider } from '../upstream/sign-in/openid-provider.ts';
import {
  signInClient,
  type SignInSites,
  startSignInSites,
  wechatToken,
} from '../upstream/sign-in/fake-sign-in-sites.ts';

/** Password of all users in the examples of the reference. */
const password = 'correct horse battery';
const botToken = '123456:bot-token';

/** Client registration of the site at the examples' OpenID provider. */
const openidClient = {
  id: 'gateway',
  secret: 'secret-of-the-client',
  redirectUri: 'https://gate.example/oauth/company',
};

/** An answer in wire format. */
export interface WireAnswer {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON. */
  body: unknown;
}

/** A signed-in person: headers for their calls. */
export type Person = Record<string, string>;

/** A clock that tests advance. */
interface MovedClock {
  aheadMs: number;
}

interface Envelope {
  success?: boolean;
  message?: string;
  data?: unknown;
}

/** A complete server on a port with everything that the examples of the reference need. */
export class ReferenceWorld {
  readonly tollgate: RunningSite;
  readonly upstream: FakeUpstream;
  readonly mail: MailServer;
  readonly sites: SignInSites;
  readonly openid: OpenidProvider;
  readonly usage: FakeUsageVendors;
  readonly stripe: StripeSimulator;
  private readonly dataDir: string;
  private readonly clock: MovedClock;

  private constructor(parts: {
    tollgate: RunningSite;
    upstream: FakeUpstream;
    mail: MailServer;
    sites: SignInSites;
    openid: OpenidProvider;
    usage: FakeUsageVendors;
    stripe: StripeSimulator;
    dataDir: string;
    clock: MovedClock;
  }) {
    this.tollgate = parts.tollgate;
    this.upstream = parts.upstream;
    this.mail = parts.mail;
    this.sites = parts.sites;
    this.openid = parts.openid;
    this.usage = parts.usage;
    this.stripe = parts.stripe;
    this.dataDir = parts.dataDir;
    this.clock = parts.clock;
  }

  static async open(): Promise<ReferenceWorld> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-reference-'));
    const sites = await startSignInSites();
    const usage = await openUsageVendors();
    const stripe = await startStripeSimulator();
    const env = {
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
      CRITICAL_RATE_LIMIT_ENABLE: 'false',
      GITHUB_URL: sites.url,
      GITHUB_API_URL: sites.url,
      OPENAI_USAGE_URL: usage.url,
      STRIPE_URL: stripe.url,
    };
    const clock: MovedClock = { aheadMs: 0 };
    return new ReferenceWorld({
      clock,
      dataDir,
      sites,
      usage,
      stripe,
      openid: await startOpenidProvider(openidClient),
      tollgate: await boot(readEnv(env), () => Date.now() + clock.aheadMs),
      upstream: await startFakeUpstream(),
      mail: await startMailServer({ certificate: makeTestCertificate(), startTls: false }),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.tollgate.port}`;
  }

  /** Advances the server's clock. */
  goOn(ms: number): void {
    this.clock.aheadMs += ms;
  }

  /** Sets the site up, with root as its super admin. */
  async setUp(): Promise<void> {
    const form = { username: 'root', password, confirmPassword: password };
    await this.must('POST', '/api/setup', {}, { ...form, token: this.tollgate.setupToken() });
  }

  /** Configures external sign-in, mail and payments. */
  async configure(): Promise<void> {
    await this.tollgate.core.settings.setMany({
      ServerAddress: 'https://gate.example',
      SMTPServer: '127.0.0.1',
      SMTPPort: String(this.mail.port),
      SMTPFrom: 'robot@gate.example',
      GitHubClientId: signInClient.id,
      GitHubClientSecret: signInClient.secret,
      GitHubOAuthEnabled: 'true',
      WeChatServerAddress: this.sites.url,
      WeChatServerToken: wechatToken,
      WeChatAuthEnabled: 'true',
      TelegramBotToken: botToken,
      TelegramBotName: 'gate_bot',
      TelegramOAuthEnabled: 'true',
      PayAddress: 'https://pay.example',
      EpayId: '1000',
      EpayKey: 'merchant-key',
      QuotaForInviter: '1000000',
      AutomaticDisableChannelEnabled: 'false',
    });
  }

  /** Sends any request. A non-text body is sent as JSON. */
  async request(method: string, path: string, headers: Person = {}, body?: unknown): Promise<WireAnswer> {
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const type = response.headers.get('content-type') ?? '';
    return {
      status: response.status,
      headers: response.headers,
      body: type.includes('json') ? await response.json() : await response.text(),
    };
  }

  /** Sends a console call with its fields in the places that the reference defines. */
  send(route: Route, input: Record<string, unknown>, as: Person): Promise<WireAnswer> {
    const rest = { ...input };
    const path = route.path.replace(/:(\w+)/g, (_slot, name: string) => {
      const value = String(rest[name]);
      delete rest[name];
      return encodeURIComponent(value);
    });
    const headers = {
      ...as,
      ...(route.reauthenticate && { 'x-current-password': encodeURIComponent(password) }),
    };
    if (route.method === 'POST' || route.method === 'PUT')
      return this.request(route.method, path, headers, rest);
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
    return this.request(route.method, query.size > 0 ? `${path}?${query.toString()}` : path, headers);
  }

  /** A call that must succeed; returns its data. */
  async must(method: string, path: string, as: Person, body?: object): Promise<unknown> {
    const { body: answered } = await this.request(method, path, as, body);
    const envelope = answered as Envelope;
    if (envelope.success !== true) throw new Error(`${method} ${path}: ${envelope.message}`);
    return envelope.data;
  }

  async logIn(username: string, secret = password): Promise<Person> {
    const answer = await this.request('POST', '/api/user/login', {}, { username, password: secret });
    const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const { data } = answer.body as { data: { id: number } };
    return { cookie, 'new-api-user': String(data.id) };
  }

  /** Waits for the newest mail to an address and returns the match of the pattern. */
  async mailed(to: string, pattern: RegExp): Promise<string> {
    const found = () =>
      this.mail.mails
        .filter((mail) => mail.to.includes(to))
        .map(({ text }) => pattern.exec(text)?.[1])
        .findLast((each) => each !== undefined);
    return vi.waitUntil(found, { timeout: 20_000 });
  }

  /** Fields of Telegram's sign-in button, signed with the current time. */
  signedByTelegram(id: string, username: string): Record<string, string> {
    const fields = { id, username, auth_date: String(Math.floor(Date.now() / 1000)) };
    const text = `auth_date=${fields.auth_date}\nid=${id}\nusername=${username}`;
    const key = createHash('sha256').update(botToken).digest();
    return { ...fields, hash: createHmac('sha256', key).update(text).digest('hex') };
  }

  async close(): Promise<void> {
    await this.tollgate.close();
    await this.upstream.close();
    await this.mail.close();
    await this.sites.close();
    await this.openid.close();
    await this.usage.close();
    await this.stripe.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
