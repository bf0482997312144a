import type { Access } from '@tollgate/contract';
import { topUps } from '../../store/index.ts';
import { addRunningBatch } from '../add-running-batch.ts';
import { twoStepExamples } from './two-step.ts';
import type { Person, ReferenceWorld } from './world.ts';

import { referencePrices } from './prices.ts';
import { makeExampleTasks } from './tasks.ts';
import { referenceUsage } from './usage.ts';
import { type Prepared, referenceTeams } from './teams.ts';

const password = 'correct horse battery';

const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');

/** People and objects in the examples of the API reference, and the steps before some of the examples. */
export class ReferencePeople {
  private readonly world: ReferenceWorld;
  private root: Person = {};
  private alice: Person = {};
  private codes: string[] = [];
  private apiKey = '';
  private request = '';
  private readonly ofTwoSteps: Readonly<Record<string, () => Promise<Prepared>>>;

  private constructor(world: ReferenceWorld) {
    this.world = world;
    this.ofTwoSteps = twoStepExamples(world, () => this.root);
  }

  /** Prepares a new site: root, alice with two tokens, bob, six channels, codes, and a call in the log. */
  static async arrive(world: ReferenceWorld): Promise<ReferencePeople> {
    const people = new ReferencePeople(world);
    await world.configure();
    people.root = await world.logIn('root');
    for (const username of ['alice', 'bob'])
      await world.must('POST', '/api/user/', people.root, { username, password, display_name: '' });
    await world.must('PUT', '/api/user/', people.root, { id: 2, quota: 10_000_000 });
    people.alice = await world.logIn('alice');
    await people.furnish();
    return people;
  }

  /** Key of alice’s first token, `sk-…`. */
  get key(): string {
    return this.apiKey;
  }

  /** An order of alice's that is not paid yet. */
  private async placeOrder(trade_no: string): Promise<void> {
    const order = {
      trade_no,
      user_id: Number(this.alice['new-api-user']),
      amount: 1,
      quota: 500_000,
      money: '7.30',
      provider: 'epay',
      payment_method: 'alipay',
      create_time: 1_764_288_000,
    };
    await topUps.create(this.world.tollgate.core.store.db, order);
  }

  /** Credits an order of alice's, with an invoice. */
  private async completeWithInvoice(trade_no: string): Promise<{ input: { trade_no: string } }> {
    await this.world.tollgate.core.settings.setMany({
      'invoice.seller_name': 'Example Ltd',
      'invoice.seller_address': '1 Main Street',
    });
    await this.placeOrder(trade_no);
    const again = { ...this.root, 'x-current-password': encodeURIComponent(password) };
    await this.world.must('POST', '/api/user/topup/complete', again, { trade_no });
    return { input: { trade_no } };
  }

  private async furnish(): Promise<void> {
    const world = this.world;
    for (const name of ['example', 'second', 'third', 'fourth', 'disabled']) {
      const channel = {
        type: 1,
        name,
        key: 'sk-vendor',
        models: 'gpt-4o-mini',
        base_url: world.upstream.url,
      };
      await world.must('POST', '/api/channel/', this.root, {
        ...channel,
        status: name === 'disabled' ? 2 : 1,
      });
    }
    const several = { mode: 'multi_to_single', name: 'several', type: 1, models: 'gpt-4', status: 2 };
    const keys = { key: 'sk-vendor-of-january\nsk-vendor-of-february', base_url: world.upstream.url };
    await world.must('POST', '/api/channel/', this.root, { ...several, ...keys });
    const [token] = [
      await world.must('POST', '/api/token/', this.alice, { name: 'first', unlimited_quota: true }),
      await world.must('POST', '/api/token/', this.alice, { name: 'second' }),
    ];
    this.apiKey = `sk-${(token as { key: string }).key}`;
    const { core } = world.tollgate;
    const named = core.store.db.selectFrom('tokens').select('id').where('name', '=', 'first');
    const { id } = await named.executeTakeFirstOrThrow();
    await core.settings.set('ContentCapture', JSON.stringify([`key:${id}`]));
    const codes = { name: 'spring', quota: 500_000, count: 4 };
    await world.must('POST', '/api/team/', this.alice, { name: 'Team' });
    this.codes = (await world.must('POST', '/api/redemption/', this.root, codes)) as string[];
    const plan = { period: 'month', price: 20, balance_price: 1, quota: 15_000_000 };
    for (const name of ['Pro', 'Team', 'Former'])
      await world.must('POST', '/api/plan/', this.root, { ...plan, name_zh: '套餐', name_en: name });
    const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello!' }] };
    const headers = { authorization: `Bearer ${this.apiKey}` };
    const answer = await world.request('POST', '/v1/chat/completions', headers, chat);
    this.request = answer.headers.get('x-tollgate-request-id') ?? '';
  }

  /** Adds channels for the models in the relay's examples, in addition to the chat models. */
  async offerEveryModel(): Promise<void> {
    // Some of the models have no price of their own.
    await this.world.tollgate.core.settings.set('SelfUseModeEnabled', 'true');
    const { url } = this.world.upstream;
    const offered = {
      1: 'text-embedding-3-small,omni-moderation-latest,gpt-image-1,tts-1,whisper-1',
      14: 'claude-sonnet-4-20250514',
      24: 'gemini-embedding-001,imagen-4.0-generate-001,gemini-2.5-flash',
      38: 'jina-reranker-v2-base-multilingual',
    };
    for (const [type, models] of Object.entries(offered)) {
      const channel = {
        type: Number(type),
        name: models.slice(0, 50),
        key: 'sk-vendor',
        models,
        base_url: url,
      };
      await this.world.must('POST', '/api/channel/', this.root, channel);
    }
  }

  /** Makes completed tasks; returns their ids by the ids in the examples. */
  makeTasks(): Promise<Record<string, string>> {
    return makeExampleTasks(this.world, this.root, this.apiKey);
  }

  /** A person with sufficient rights for an access level. */
  private somebody(access: Access): Person {
    if (access === 'public' || access === 'try-user') return {};
    return access === 'user' ? this.alice : this.root;
  }

  /** Input and caller of an example that the example itself does not contain. */
  async prepare(call: string, access: Access): Promise<Prepared> {
    return { as: this.somebody(access), ...(await (this.special[call] ?? this.ofTwoSteps[call])?.()) };
  }

  /** Restores alice's password and session after an example changes them. */
  async after(call: string, body: unknown): Promise<void> {
    if (call !== 'POST /api/user/reset') return;
    const { data } = body as { data: string };
    const renewed = await this.world.logIn('alice', data);
    await this.world.must('PUT', '/api/user/self', renewed, { password, original_password: data });
    this.alice = await this.world.logIn('alice');
  }

  /** A code from a mail to an address. */
  private async codeFor(email: string): Promise<string> {
    await this.world.must('GET', `/api/verification?email=${email}`, {});
    return this.world.mailed(email, /\b(\d{6})\b/);
  }

  /** Gives consent at GitHub as a user; returns the browser's callback input and its cookies. */
  private async consent(as: Person, start: { method: string; path: string }, id: number): Promise<Prepared> {
    const again = { ...as, 'x-current-password': encodeURIComponent(password) };
    const begun = await this.world.request(start.method, start.path, again);
    const cookie = [as.cookie, cookiesOf(begun.headers)].filter(Boolean).join('; ');
    const page = (begun.body as { data: string }).data;
    return { input: this.world.sites.consent(page, { id, name: 'Carl' }) as never, as: { ...as, cookie } };
  }

  private readonly special: Readonly<Record<string, () => Promise<Prepared>>> = {
    'POST /api/user/register': async () => ({
      input: { aff_code: await this.world.must('GET', '/api/user/aff', this.alice) },
    }),
    'POST /api/task/:id/cancel': async () => {
      const { db } = this.world.tollgate.core.store;
      return { input: { id: await addRunningBatch(db, Number(this.alice['new-api-user']), 'alice') } };
    },
    'GET /api/user/logout': async () => ({ as: await this.world.logIn('alice') }),
    'DELETE /api/user/sessions/:session': async () => {
      await this.world.logIn('alice');
      const sessions = (await this.world.must('GET', '/api/user/sessions', this.alice)) as {
        id: string;
        current: boolean;
      }[];
      return { input: { session: sessions.find(({ current }) => !current)?.id } };
    },
    'GET /api/reset_password': async () => {
      const code = await this.codeFor('alice@example.com');
      const again = { ...this.alice, 'x-current-password': encodeURIComponent(password) };
      await this.world.must('POST', '/api/oauth/email/bind', again, { email: 'alice@example.com', code });
      return {};
    },
    'POST /api/user/reset': async () => ({
      input: { token: await this.world.mailed('alice@example.com', /[?&]token=([\w-]+)/) },
    }),
    'GET /api/oauth/email/bind': async () => ({ input: { code: await this.codeFor('alice@example.org') } }),
    'POST /api/oauth/email/bind': async () => ({ input: { code: await this.codeFor('alice@example.net') } }),
    'DELETE /api/oauth/bind/:provider': async () => {
      const start = { method: 'POST', path: '/api/oauth/bind/github' };
      const { input, as } = await this.consent(this.alice, start, 41);
      const query = new URLSearchParams(input as Record<string, string>);
      await this.world.must('GET', `/api/oauth/github?${query.toString()}`, as!);
      return {};
    },
    'GET /api/oauth/wechat': async () => ({ input: { code: this.world.sites.wechatCode('first') } }),
    'GET /api/oauth/wechat/bind': async () => ({ input: { code: this.world.sites.wechatCode('second') } }),
    'GET /api/oauth/telegram/login': async () => {
      const bound = new URLSearchParams(this.world.signedByTelegram('7001', 'alice'));
      const again = { ...this.alice, 'x-current-password': encodeURIComponent(password) };
      await this.world.must('GET', `/api/oauth/telegram/bind?${bound.toString()}`, again);
      return { input: this.world.signedByTelegram('7001', 'alice_again') };
    },
    'GET /api/oauth/telegram/bind': async () => ({ input: this.world.signedByTelegram('7002', 'alice') }),
    'GET /api/oauth/:provider': () =>
      this.consent({}, { method: 'GET', path: '/api/oauth/start/github' }, 42),
    'POST /api/custom-oauth-provider/': async () => ({ input: { well_known: this.world.openid.wellKnown } }),
    'POST /api/custom-oauth-provider/discovery': async () => ({
      input: { well_known: this.world.openid.wellKnown },
    }),
    'DELETE /api/user/self': async () => ({ as: await this.world.logIn('carol') }),
    'POST /api/user/auto_topup/card': async () => {
      const { stripe, tollgate, url } = this.world;
      await tollgate.core.settings.setMany({
        ServerAddress: url,
        'stripe.secret_key': stripe.key,
        'stripe.webhook_secret': stripe.webhookSecret,
        'stripe.enabled': 'true',
      });
      return {};
    },
    'POST /api/user/topup/complete': async () => {
      await this.placeOrder('USR2NOabcdef1764288000');
      return {};
    },
    'POST /api/user/topup/refund': async () => {
      const trade_no = 'USR2NOrefund1764288000';
      await this.placeOrder(trade_no);
      const again = { ...this.root, 'x-current-password': encodeURIComponent(password) };
      await this.world.must('POST', '/api/user/topup/complete', again, { trade_no });
      return {};
    },
    'GET /api/user/topup/self/invoice': async () => this.completeWithInvoice('USR2NOinvoice1764288000'),
    'GET /api/user/topup/invoice': async () => this.completeWithInvoice('USR2NOinvoice1764288001'),
    'POST /api/user/topup': async () => ({ input: { key: this.codes[2] } }),
    ...referenceTeams({
      world: () => this.world,
      alice: () => this.alice,
      bob: () => this.world.logIn('bob'),
      code: () => this.codes[3],
    }),
    ...referencePrices({ world: () => this.world, root: () => this.root }),
    ...referenceUsage({ world: () => this.world, root: () => this.root }),
    'GET /api/log/token': async () => ({ input: { key: this.apiKey } }),
    'GET /api/log/:request/receipt': async () => ({ input: { request: this.request } }),
    'GET /api/log/:request/content': async () => ({ input: { request: this.request }, as: this.root }),
    'POST /api/channel/fetch_models': async () => ({ input: { base_url: this.world.upstream.url } }),
    'POST /api/channel/test': async () => ({ input: { base_url: this.world.upstream.url } }),
  };
}
