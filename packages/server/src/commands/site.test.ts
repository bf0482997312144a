import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { budgetApi, channelApi, type ChannelData, product, role, selfApi } from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Agent } from '../testing/agent.ts';
import { moneyRoutes, openAutoTopUps, openPlans, openStatements } from '../boot/money.ts';
import type { Payments } from '../services/money/payments/index.ts';
import { bundled, bundledEnv } from '../testing/bundled.ts';
import { type House, noMail, openHouse, operatorCalls, testPassword } from '../testing/harness.ts';

let folder: string;
let file: string;
const closings: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'site-'));
  file = join(folder, 'site.json');
});
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
  await rm(folder, { recursive: true, force: true });
});

interface TestSite {
  house: House;
  root: Agent;
  run: (words: readonly string[], variables?: Record<string, string>) => Promise<Ran>;
}

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A new site, and the command with an access token of its root. */
async function openSite(): Promise<TestSite> {
  const house = await openHouse({
    routes: (core, people) => [
      ...operatorCalls(core),
      ...moneyRoutes(
        core,
        {
          payments: {} as Payments,
          autoTopUps: openAutoTopUps(core, { autoTopUpFails: () => undefined }),
          plans: openPlans(core, { planStops: () => undefined }),
          statements: openStatements(core, noMail),
        },
        people,
      ),
    ],
  });
  closings.push(() => house.close());
  const root = await house.person('root', { role: role.root });
  const made = await root.must(
    selfApi.createAccessToken,
    { name: 'command', scope: 'all', days: 1 },
    { password: testPassword },
  );
  const env = {
    ...bundledEnv(),
    TOLLGATE_URL: await house.app.listen({ port: 0, host: '127.0.0.1' }),
    TOLLGATE_TOKEN: (made as { token: string }).token,
    TOLLGATE_USER: String(root.userId),
  };
  const run: TestSite['run'] = async (words, variables = {}) => {
    const child = spawn(process.execPath, [bundled('site'), ...words], { env: { ...env, ...variables } });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { status: child.exitCode, stdout, stderr };
  };
  return { house, root, run };
}

const secret = 'sk-of-the-vendor-1234567890';
const write = (content: object) => writeFile(file, JSON.stringify(content));
const readBack = async () =>
  JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, Record<string, unknown>>>;
const listChannels = async (root: Agent) =>
  (await root.must(channelApi.list, {})) as unknown as ChannelData[];

it('moves channels, settings and budgets to another site, and says so until they are there', async () => {
  const from = await openSite();
  await from.root.must(channelApi.create, {
    type: 1,
    name: 'main',
    key: secret,
    models: 'gpt-4o,gpt-4o-mini',
    priority: 7,
    model_mapping: '{"gpt-4o":"gpt-4o-2024"}',
  });
  await from.house.core.settings.set('RetryTimes', '4');
  await from.house.core.settings.set('ModelRatio', '{"gpt-4o":1.5}');
  await from.root.must(budgetApi.create, { name: 'all', period: 'day', amount: 5_000_000, group: 'default' });
  await from.root.must(budgetApi.create, { name: 'rate', period: 'minute', unit: 'tokens', amount: 60_000 });
  await from.root.must(budgetApi.create, {
    name: 'warned',
    period: 'week',
    amount: 7,
    mode: 'soft',
    shares: [90],
    sliding: true,
  });
  expect(await from.run(['export', file])).toEqual({ status: 0, stdout: '', stderr: '' });
  const exported = await readFile(file, 'utf8');
  expect(exported).not.toContain(secret);
  expect(await from.run(['diff', file])).toMatchObject({
    status: 0,
    stdout: 'The site is as the file says.\n',
  });

  const content = await readBack();
  expect(content['channels']!['main']).toEqual({
    type: 1,
    models: ['gpt-4o', 'gpt-4o-mini'],
    priority: 7,
    model_mapping: { 'gpt-4o': 'gpt-4o-2024' },
  });
  content['channels']!['main']!['key'] = { env: 'MAIN_KEY' };
  await write(content);
  const to = await openSite();
  const compared = await to.run(['diff', file]);
  expect(compared.status).toBe(2);
  expect(compared.stdout).toContain('~ setting RetryTimes: 0 → 4\n');
  expect(compared.stdout).toMatch(
    /^~ setting ModelRatio: \{gpt-4o \S+ → 1\.5, .* → removed, and \d+ more\}$/m,
  );
  expect(compared.stdout).toMatch(/^\+ channel main: .*key \$MAIN_KEY/m);
  expect(compared.stdout).toMatch(/^\+ budget all: group default, .*period day, amount 5000000$/m);
  const rehearsed = await to.run(['apply', file], { MAIN_KEY: secret });
  expect(rehearsed).toEqual(compared);
  expect(await listChannels(to.root)).toEqual([]);

  const applied = await to.run(['apply', file, '--yes'], { MAIN_KEY: secret });
  expect(applied).toMatchObject({ status: 0, stderr: '' });
  expect(await to.run(['apply', file, '--yes'], { MAIN_KEY: secret })).toMatchObject({
    status: 0,
    stdout: 'The site is as the file says.\n',
  });
  expect(to.house.core.settings.get('RetryTimes')).toBe(4);
  const [channel] = await listChannels(to.root);
  expect(channel).toMatchObject({ name: 'main', priority: 7, models: 'gpt-4o,gpt-4o-mini' });
  expect(channel!.key_hint).toBe((await listChannels(from.root))[0]!.key_hint);
  expect(await to.root.must(budgetApi.list, {})).toMatchObject([
    { name: 'all', group: 'default', period: 'day', sliding: false, amount: 5_000_000, enabled: true },
    { name: 'rate', period: 'minute', unit: 'tokens', amount: 60_000, shares: [] },
    { name: 'warned', period: 'week', sliding: true, mode: 'soft', shares: [90], amount: 7 },
  ]);
});

it('changes what differs and nothing else, and sends a secret again only if asked', async () => {
  const { root, run } = await openSite();
  await root.must(channelApi.create, { type: 1, name: 'one', key: secret, models: 'a', remark: 'kept' });
  await root.must(channelApi.create, { type: 1, name: 'two', key: secret, models: 'b' });
  await root.must(budgetApi.create, { name: 'all', period: 'day', amount: 100 });
  await write({
    channels: { one: { type: 1, models: ['a', 'c'], remark: 'kept', weight: 3, key: { env: 'ONE' } } },
    budgets: { all: { period: 'day', amount: 200 } },
  });
  const { stdout } = await run(['diff', file, '--json']);
  expect(JSON.parse(stdout)).toEqual([
    {
      kind: 'channel',
      name: 'one',
      differences: { models: { from: ['a'], to: ['a', 'c'] }, weight: { from: 0, to: 3 } },
    },
    { kind: 'budget', name: 'all', differences: { amount: { from: 100, to: 200 } } },
  ]);
  expect((await run(['apply', file, '--yes'])).status).toBe(0);
  expect(await listChannels(root)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'one', models: 'a,c', weight: 3, remark: 'kept' }),
      expect.objectContaining({ name: 'two', models: 'b' }),
    ]),
  );
  const [before] = (await listChannels(root)).filter(({ name }) => name === 'one');
  expect((await run(['apply', file, '--yes', '--secrets'], { ONE: 'sk-another-0987654321' })).status).toBe(0);
  const [after] = (await listChannels(root)).filter(({ name }) => name === 'one');
  expect(after!.key_hint).not.toBe(before!.key_hint);
});

it.each([
  ['an unknown part', { chanels: {} }, /chanels/],
  ['an unknown field', { channels: { a: { type: 1, modles: [] } } }, /no field modles/],
  ['a key in clear text', { channels: { a: { type: 1, models: ['m'], key: 'sk-x' } } }, /must be \{"env"/],
  ['an unknown setting', { settings: { RetryTime: 2 } }, /no setting RetryTime/],
  [
    'a variable that is not set',
    { channels: { a: { type: 1, models: ['m'], key: { env: 'NONE' } } } },
    /NONE/,
  ],
  ['a value that the site refuses', { settings: { RetryTimes: 'often' } }, /setting RetryTimes: /],
])('refuses %s and changes nothing', async (_what, content, words) => {
  const { root, run, house } = await openSite();
  await write(content);
  const { status, stderr } = await run(['apply', file, '--yes']);
  expect(status).toBe(1);
  expect(stderr).toMatch(words);
  expect(await listChannels(root)).toEqual([]);
  expect(house.core.settings.get('RetryTimes')).toBe(0);
});

it('explains itself', async () => {
  const { run } = await openSite();
  expect((await run(['--help'])).stdout).toContain(`${product.id.toUpperCase()}_TOKEN`);
});

it('brings the models of a LiteLLM configuration to a site, with keys from variables', async () => {
  const { root, run } = await openSite();
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    `model_list:
  - model_name: fast
    litellm_params: { model: anthropic/claude-haiku-4-5, rpm: 60, extra_headers: { x-team: a } }
  - model_name: sonnet
    litellm_params: { model: bedrock/anthropic.claude-sonnet-4, aws_access_key_id: os.environ/AWS_ID, aws_region_name: us-east-1 }
  - model_name: ours
    litellm_params: { model: openai/llama, api_base: "http://10.0.0.5:8000/v1", api_key: none, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
`,
  );
  const made = await run(['from-litellm', config, file]);
  expect(made).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringContaining('Channels: 3.') as string,
  });
  const variables = { ANTHROPIC_API_KEY: secret, BEDROCK_KEY: 'AKIA1|s|us-east-1', LITELLM_KEY: 'none' };
  expect(await run(['apply', file, '--yes'], variables)).toMatchObject({ status: 0, stderr: '' });
  const channels = await listChannels(root);
  const named = Object.fromEntries(channels.map((channel) => [channel.name, channel]));
  expect(named['anthropic']).toMatchObject({ type: 14, models: 'fast', status: 1 });
  expect(JSON.parse(named['anthropic']!.setting)).toMatchObject({ limits: { requests_per_minute: 60 } });
  expect(named['bedrock']).toMatchObject({ type: 33, models: 'sonnet' });
  expect(named['openai']).toMatchObject({ base_url: 'http://10.0.0.5:8000', models: 'ours' });
  const settings = (await readBack())['settings']!;
  expect(settings['ModelRatio']).toMatchObject({ ours: 0.5 });
  expect(await run(['diff', file], variables)).toMatchObject({ status: 0 });
});
