import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import {
  attentionApi,
  dataApi,
  logApi,
  marginApi,
  selfApi,
  testOutcome,
  tokenApi,
  type ChannelHealth,
  type QuotaData,
  channelStatus,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { channelHealthSample, pageWith, people, userSample } from '../../testing/samples.ts';
import { logSample, summarySample } from '../../testing/usage-samples.ts';

/** Cost of a model in the current hour. */
const used = (model: string, quota: number): QuotaData => ({
  id: 1,
  user_id: 0,
  username: '',
  model_name: model,
  created_at: Math.floor(Date.now() / 3_600_000) * 3600,
  token_used: 150,
  count: 2,
  quota,
  team_quota: 0,
});

const sums = (quota: number) => ({ quota, team_quota: 0, refunded: 0, team_refunded: 0, rpm: 1, tpm: 150 });
const siteWith = (rows: QuotaData[], channels: ChannelHealth[] = []) =>
  new FakeServer()
    .answer(selfApi.get, userSample())
    .answer(tokenApi.list, [])
    .answer(dataApi.ownList, rows)
    .answer(dataApi.list, rows)
    .answer(dataApi.ownSummary, summarySample())
    .answer(
      dataApi.summary,
      summarySample({ errors: 1, error_kinds: [{ status: 502, code: 'x', count: 1 }] }),
    )
    .answer(dataApi.channels, { since: 0, channels })
    .answer(logApi.ownStat, sums(10_000))
    .answer(logApi.stat, sums(10_000))
    .answer(logApi.list, { ...pageWith(logSample({ content: 'too busy' })), exact: true });

test('a user sees the balance, the cost of today, and the models it was spent on', async () => {
  const server = siteWith([used('gpt-4o', 7000), used('claude', 3000)]);
  renderPage('/detail', { server, as: people.user });
  await expect.poll(shown).toMatch(/Balance.*\$10\.00.*Spent today.*\$0\.02/);
  await expect.poll(shown).toMatch(/Top models.*gpt-4o.*claude/);
  expect(server.inputs(dataApi.list)).toEqual([]);
  expect(screen.queryByText('Channel health')).toBeNull();
});

test('a refunded task is in no figure of what was spent', async () => {
  const sum = { ...sums(10_000), team_quota: 2_000, refunded: 9_000, team_refunded: 2_000 };
  const server = siteWith([used('mj_imagine', 1000)])
    .answer(logApi.ownStat, sum)
    .answer(logApi.stat, sum);
  renderPage('/detail', { server, as: people.user });
  await expect.poll(shown).toMatch(/Spent today\s*\$0\.002/);
});

test('calls that organisations paid for do not count as no usage', async () => {
  const paid = { ...used('gpt-4o', 7000), team_quota: 7000 };
  renderPage('/detail', { server: siteWith([paid]), as: people.user });
  await expect.poll(shown).toContain('You spent nothing in this period');
});

test('what an organisation paid is not shown as one’s own money, but counted among the requests', async () => {
  const server = siteWith([{ ...used('gpt-4o', 7000), team_quota: 7000 }]).answer(logApi.ownStat, {
    ...sums(10_000),
    team_quota: 7000,
  });
  renderPage('/detail', { server, as: people.user });
  await expect.poll(shown).toMatch(/Spent today.*\$0\.006.*Answered calls today.*2/);
  expect(shown()).not.toContain('$0.02');
  // The figure links to its rows: those paid by the user.
  const money = screen.getByRole('link', { name: /^\$0\.006/ }) as HTMLAnchorElement;
  expect(new URL(money.href).searchParams.get('payer')).toBe('user');
  await expect.poll(shown).toMatch(/Top models.*gpt-4o.*plus organisations.*\$0\.014/);
});

test('keys that organisations pay for have their names, and link to the calls that those paid for', async () => {
  const key = { token_id: 1, token_name: 'ci', user_id: 2, username: 'ada', count: 3, token_used: 9 };
  const server = siteWith([used('gpt-4o', 7000)]).answer(
    dataApi.ownSummary,
    summarySample({
      tokens: [
        { ...key, quota: 9000, team_id: 4, team_name: 'Lab' },
        { ...key, token_id: 2, quota: 7000, team_id: 0, team_name: '' },
      ],
    }),
  );
  renderPage('/detail', { server, as: people.user });
  const ranked = await screen.findAllByRole('link', { name: /^ci/ });
  expect(ranked.map(({ textContent }) => textContent?.includes('Lab'))).toEqual([true, false]);
  const payers = ranked.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get('payer'));
  expect(payers).toEqual(['4', null]);
});

test('an administrator sees the whole site, its channels and its failures', async () => {
  const server = siteWith([used('gpt-4o', 7000)], [channelHealthSample({ name: 'main' })]);
  renderPage('/detail', { server, as: people.admin });
  await expect.poll(shown).toMatch(/Channel health.*main/);
  await expect.poll(shown).toMatch(/Latest failures.*too busy/);
  expect(server.inputs(dataApi.ownList)).toEqual([]);
  expect(server.inputs(marginApi.belowCost)).toEqual([]);
});

test('the tiles of channels show the outcome of their calls, and of those without calls the last test', async () => {
  const traffic = { tries: 200, failed: 0, first_byte_ms: 640, answered_time: 1_700_000_000 };
  const named = (id: number, name: string, rest: Partial<ChannelHealth> = {}) =>
    channelHealthSample({ id, name, test_outcome: testOutcome.passed, response_time: 2_000, ...rest });
  const refused = { cause: 'refused', status: 0, message: '', model: 'gpt-4o' } as const;
  const failed = { test_outcome: testOutcome.failed, test_failure: refused };
  const server = siteWith(
    [used('gpt-4o', 7000)],
    [
      named(1, 'steady', { traffic }),
      named(2, 'shaky', { traffic: { ...traffic, failed: 6 } }),
      named(3, 'uncalled'),
      named(4, 'mended', {
        ...failed,
        test_time: 1_600_000_000,
        traffic: { ...traffic, first_byte_ms: null },
      }),
      named(5, 'lost', { ...failed, test_time: 1_800_000_000, traffic }),
    ],
  );
  renderPage('/detail', { server, as: people.admin });
  const tile = async (name: string) => {
    const link = await screen.findByRole('link', { name: new RegExp(`^${name}`) });
    return `${link.textContent} ${link.dataset.health}`;
  };
  expect(await tile('steady')).toBe('steady640 ms good');
  expect(await tile('shaky')).toBe('shaky97.0% · 640 ms warn');
  expect(await tile('uncalled')).toBe('uncalled2.00 s lime');
  expect(await tile('mended')).toBe('mended100.0% answered lime');
  expect(await tile('lost')).toMatch(/^lost.+ failed$/);
});

test('what was spent is split by a tag, and all figures may be those of one', async () => {
  const server = siteWith([used('gpt-4o', 7000)])
    .answer(dataApi.ownSummary, summarySample({ tags: ['team', 'env'] }))
    .answer(logApi.ownTagSums, [
      { value: 'search', quota: 9_000, refunded: 1_000, calls: 3 },
      { value: 'ads', quota: 2_000, refunded: 0, calls: 1 },
    ]);
  renderPage('/detail?tag=env%3Dprod', { server, as: people.user });
  await expect.poll(shown).toMatch(/Top tags.*search\s*3 calls\s*\$0\.016.*ads/);
  for (const route of [dataApi.ownList, dataApi.ownSummary, logApi.ownStat, logApi.ownTagSums])
    for (const input of server.inputs(route)) expect(input).toMatchObject({ tag: 'env=prod' });
  expect(server.inputs(logApi.ownTagSums)[0]).toMatchObject({ name: 'team' });
  const row = screen.getByRole('link', { name: /^search/ }) as HTMLAnchorElement;
  expect(new URL(row.href).searchParams.get('tag')).toBe('team=search,env=prod');
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Name of the tag' }), 'env');
  await expect.poll(() => server.inputs(logApi.ownTagSums).at(-1)).toMatchObject({ name: 'env' });
});

test('a site without tags has neither their field nor their panel', async () => {
  const server = siteWith([used('gpt-4o', 7000)]);
  renderPage('/detail', { server, as: people.admin });
  await expect.poll(shown).toContain('Top keys');
  expect(shown()).not.toContain('Top tags');
  expect(screen.queryByPlaceholderText(/team=search/)).toBeNull();
});

test('home begins with what needs attention, each with the place to mend it; without any there is no list', async () => {
  const refused = { cause: 'refused', status: 401, message: 'no such key', model: 'gpt-4o' } as const;
  const lost = channelHealthSample({
    id: 7,
    name: 'lost',
    test_outcome: testOutcome.failed,
    test_failure: refused,
    test_time: 1_800_000_000,
  });
  const asked = { balance_updated_time: 1_800_000_000 };
  const empty = channelHealthSample({ id: 8, name: 'empty', balance: 1.5, ...asked });
  // Enough balance; not requested; disabled without a request.
  const others = [
    channelHealthSample({ id: 9, name: 'rich', balance: 50, ...asked }),
    channelHealthSample({ id: 10, name: 'unasked' }),
    channelHealthSample({ id: 11, name: 'off', status: channelStatus.disabled, balance: 1, ...asked }),
  ];
  const server = siteWith([used('gpt-4o', 7000)], [lost, empty, ...others])
    .answer(marginApi.belowCost, [])
    .answer(
      dataApi.summary,
      summarySample({
        unpriced_models: [
          { model_name: 'new-a', count: 4 },
          { model_name: 'new-b', count: 1 },
        ],
      }),
    )
    .answer(attentionApi.get, {
      unpriced: 9,
      settings: [{ key: 'PasswordLoginEnabled', reason: 'Only passkeys sign in' }],
      retries: 1,
    });
  renderPage('/detail', { server, as: people.root });
  await expect
    .poll(shown)
    .toMatch(
      /Needs attention.*Only passkeys sign in.*lost.*empty has only \$1\.50 left at its vendor.*new-a, new-b without a price: 5 calls were refused today.*Spent today/,
    );
  const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
  expect(hrefOf('Open lost')).toBe('/channel?edit=7');
  expect(hrefOf('Open empty')).toBe('/channel?edit=8');
  for (const { name } of others) expect(screen.queryByRole('link', { name: `Open ${name}` })).toBeNull();
  expect(hrefOf('Set prices')).toBe('/prices?show=unpriced');
  expect(hrefOf('Open the setting')).toBe('/setting?open=PasswordLoginEnabled');
  expect(shown()).not.toContain('offered models');
});

test('where failures are not logged, offered models without a price need attention', async () => {
  const server = siteWith([used('gpt-4o', 7000)])
    .answer(dataApi.summary, summarySample({ errors: null }))
    .answer(marginApi.belowCost, [])
    .answer(attentionApi.get, { unpriced: 2, settings: [], retries: 1 });
  renderPage('/detail', { server, as: people.root });
  await expect.poll(shown).toMatch(/Needs attention.*2 offered models have no price.*Spent today/);
});

test('where all is well nothing needs attention', async () => {
  renderPage('/detail', {
    server: siteWith([used('gpt-4o', 7000)], [channelHealthSample({})]),
    as: people.admin,
  });
  await expect.poll(shown).toMatch(/Channel health/);
  expect(shown()).not.toContain('Needs attention');
});

test('root sees what sells below cost, with the channel', async () => {
  const below = [{ channel: 3, name: 'dear', models: ['gpt-4o', 'o1'], groups: ['vip'] }];
  const server = siteWith([used('gpt-4o', 7000)]).answer(marginApi.belowCost, below);
  renderPage('/detail', { server, as: people.root });
  await expect.poll(shown).toContain('Sold below cost: dear (gpt-4o, o1)');
  expect(screen.getByRole('link', { name: 'dear' }).getAttribute('href')).toBe('/channel?edit=3');
});

test('a site without calls shows that, and the first steps', async () => {
  const server = siteWith([]).answer(selfApi.get, userSample({ request_count: 0 }));
  renderPage('/detail', { server, as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('这个时间范围内没有用量');
  await expect.poll(shown).toContain('创建一个令牌');
});

test('sums that fail to load show an error and can be loaded again', async () => {
  const server = siteWith([]).fail(dataApi.ownList);
  const user = renderPage('/detail', { server, as: people.user });
  await expect.poll(shown).toContain('Could not load');
  server.answer(dataApi.ownList, [used('late-model', 7000)]);
  await tryAgain(user);
  await expect.poll(shown).toContain('late-model');
});
