import type { Site } from '../support/site.ts';
import { administrator } from '../support/site.ts';
import { logInTo, type Session } from './session.ts';

/** A key that makes calls, and its share of the traffic. */
export interface Caller {
  key: string;
  weight: number;
  models: readonly { item: string; weight: number }[];
}

/** Dollars in quota units, at the rate of a new site. */
const dollars = (amount: number): number => Math.round(amount * 500_000);

const everyday = [
  { item: 'gpt-6.2-sol', weight: 5 },
  { item: 'claude-sonnet-5-5', weight: 4 },
  { item: 'gemini-3.8-flash', weight: 2 },
  { item: 'deepseek-v4-pro', weight: 3 },
];
const coding = [
  { item: 'claude-sonnet-5-5', weight: 6 },
  { item: 'claude-opus-5-5', weight: 2 },
  { item: 'gpt-6.2-astra', weight: 1 },
];
const bulk = [
  { item: 'gpt-6-luna', weight: 3 },
  { item: 'deepseek-v4-flash', weight: 5 },
  { item: 'gemini-3.8-flash', weight: 2 },
];

const channelsOf = (base: string) =>
  [
    {
      type: 1,
      name: 'OpenAI · main',
      models: 'gpt-6.2-sol,gpt-6.2-astra,gpt-6-luna',
      priority: 10,
      weight: 3,
      tag: 'openai',
    },
    { type: 1, name: 'OpenAI · spare', models: 'gpt-6.2-sol,gpt-6.2-astra,gpt-6-luna', tag: 'openai' },
    {
      type: 14,
      name: 'Anthropic',
      models: 'claude-sonnet-5-5,claude-opus-5-5,claude-haiku-5-5',
      priority: 10,
      group: 'default,vip',
    },
    { type: 24, name: 'Gemini', models: 'gemini-3.8-flash,gemini-4-argon', group: 'default,vip' },
    { type: 43, name: 'DeepSeek', models: 'deepseek-v4-pro,deepseek-v4-flash', priority: 5 },
    {
      type: 1,
      name: 'House models',
      models: 'house-large,house-small',
      group: 'vip',
      base: 'http://localhost:9',
    },
  ].map(({ base: own, ...channel }) => ({
    group: 'default',
    key: 'sk-not-a-real-key',
    base_url: own ?? base,
    ...channel,
  }));

const people = [
  { username: 'alice', display_name: 'Alice Martin', group: 'default', quota: 140 },
  { username: 'bob', display_name: 'Bob Keller', group: 'vip', quota: 220 },
  { username: 'chen', display_name: '陈思远', group: 'default', quota: 95 },
  { username: 'dana', display_name: 'Dana Okafor', group: 'default', quota: 0.5 },
];
const password = 'a long password';

async function addPeople(root: Session): Promise<void> {
  for (const { quota, group, ...person } of people) {
    await root.call('POST', '/api/user/', { ...person, password });
    const found = (await root.call('GET', `/api/user/search?keyword=${person.username}`)) as {
      items: { id: number }[];
    };
    const id = found.items[0]!.id;
    await root.call('PUT', '/api/user/', { id, group });
    await root.call('POST', '/api/user/manage', {
      id,
      action: 'add_quota',
      value: dollars(quota),
      reason: 'Invoice 2026-114',
    });
  }
}

interface NewKey {
  name: string;
  [field: string]: unknown;
}

/** Makes a key and returns all of it. */
async function addKey(session: Session, key: NewKey, path = '/api/token/'): Promise<string> {
  const made = (await session.call('POST', path, { unlimited_quota: true, ...key })) as { key: string };
  return `sk-${made.key}`;
}

/** An organisation of three, with its own wallet and keys; returns the key of its build server. */
async function addTeam(site: Site, owner: Session): Promise<string> {
  const { id } = (await owner.call('POST', '/api/team/', { name: 'Research' })) as { id: number };
  await owner.call('POST', `/api/team/${id}/fund`, { quota: dollars(150) });
  for (const username of ['alice', 'chen']) {
    const { code } = (await owner.call('POST', `/api/team/${id}/invitation`, { invitee: username })) as {
      code: string;
    };
    const guest = await logInTo(site, { username, password });
    await guest.call('POST', '/api/team/invitation/accept', { code });
  }
  await owner.call('POST', `/api/team/${id}/invitation`, { invitee: 'dana' });
  return addKey(owner, { name: 'build server' }, `/api/team/${id}/token`);
}

async function addChannels(root: Session, vendors: string): Promise<void> {
  for (const channel of channelsOf(vendors)) await root.call('POST', '/api/channel/', channel);
  const made = (await root.call('GET', '/api/channel/?p=0&page_size=100')) as { id: number; name: string }[];
  const costs: Record<string, number> = {
    'OpenAI · main': 0.85,
    'OpenAI · spare': 1,
    Anthropic: 0.9,
    Gemini: 0.8,
    DeepSeek: 0.7,
  };
  for (const { id, name } of made)
    if (costs[name] !== undefined)
      await root.call('PUT', `/api/channel/${id}/cost`, { factor: costs[name], models: {}, reported: false });
}

/** Tests every channel except the sandbox; the house's own channel is unreachable. */
export async function testChannels(site: Site): Promise<void> {
  const root = await logInTo(site, administrator);
  const made = (await root.call('GET', '/api/channel/?p=0&page_size=100')) as { id: number }[];
  for (const { id } of made.filter((channel) => channel.id > 1))
    await root.call('GET', `/api/channel/test/${id}`).catch(() => undefined);
}

/**
 * Adds the channels, people, keys and codes of a small company to a newly set-up site, with prices a fifth above
 * its vendors' prices.
 *
 * @param vendors - address of the server that plays all vendors
 * @returns keys that make calls
 */
export async function furnishSite(site: Site, vendors: string): Promise<Caller[]> {
  const root = await logInTo(site, administrator);
  await root.call('PUT', '/api/option/', { key: 'RetryTimes', value: '2' });
  await root.call('PUT', '/api/option/', {
    key: 'GroupRatio',
    value: JSON.stringify({ default: 1.2, vip: 1, svip: 1 }),
  });
  await addChannels(root, vendors);
  await addPeople(root);
  const self = root.id;
  await root.call('POST', '/api/user/manage', { id: self, action: 'add_quota', value: dollars(200) });
  await root.call('POST', '/api/redemption/', { name: 'Welcome', quota: dollars(1), count: 6 });
  const as = (username: string) => logInTo(site, { username, password });
  const [alice, bob, chen] = [await as('alice'), await as('bob'), await as('chen')];
  await addKey(root, { name: 'laptop', unlimited_quota: false, remain_quota: dollars(10) });
  return [
    { key: await addKey(root, { name: 'production' }), weight: 5, models: everyday },
    { key: await addKey(root, { name: 'nightly reports' }), weight: 2, models: bulk },
    { key: await addKey(alice, { name: 'coding agent' }), weight: 4, models: coding },
    { key: await addKey(chen, { name: '翻译助手' }), weight: 2, models: everyday },
    { key: await addTeam(site, bob), weight: 3, models: coding },
  ];
}
