import { describe, expect, it } from 'vitest';
import { buildChannel, relayOptions } from '../testing/protocols/build-relay.ts';
import { type Channel, keyOriginsOf, originOf, type Provider } from './types/index.ts';
import { providers } from './registry.ts';

const account = JSON.stringify({ project_id: 'p', client_email: 'e@p.test', private_key: 'k' });
const keys = ['ak|sk|us-east-1', 'api|eu-west-1', account, 'sk-plain', 'app|token'];
/** Includes names that try to escape from their place in an address. */
const models = [
  'gpt-4o',
  'claude-sonnet-4',
  'meta/llama',
  'bot-1',
  '@evil.test',
  '.evil.test/',
  '//evil.test',
  '#',
  '\\',
];
const paths = ['/v1/chat/completions', '/v1/images/edits', '//evil.test/embedContent'];

const bases = [
  '',
  'https://own.test',
  'http://own.test',
  'https://own.test:8443/deep',
  'https://own.test/{model}/x?m={model}',
  'https://gateway.ai.cloudflare.com/v1/a/b/openai',
  ...new Set(providers.map((provider) => provider.baseUrl)),
];
const others = [
  '',
  'us-east1',
  'eu',
  '{"default":"us-central1"}',
  '{"default":"us-central1","gpt-4o":"asia-east1"}',
  '@evil.test/',
];

/** The result of a call; empty if this key and these fields allow no call. */
function attempt(work: () => string): string[] {
  try {
    return [work()];
  } catch {
    return [];
  }
}

/** Every address that this provider calls with the key of a channel. */
function addressesOf(provider: Provider, channel: Channel): string[] {
  const all: string[] = [];
  for (const model of models) {
    for (const path of paths) {
      const address = { model, path, query: 'api-version=@evil.test', stream: true, options: relayOptions };
      for (const endpoint of Object.values(provider.endpoints)) {
        all.push(...attempt(() => endpoint.url(channel, address)));
        all.push(...attempt(() => endpoint.countTokens?.url(channel, address) ?? ''));
      }
      all.push(...attempt(() => provider.realtime?.url(channel, address) ?? ''));
    }
  }
  all.push(...attempt(() => provider.fetchModels?.request(channel).url ?? ''));
  for (const answers of [[], [{}]])
    all.push(...attempt(() => provider.balance?.next(channel, answers, 0)?.url ?? ''));
  return all.filter((url) => url !== '');
}

/** Origins of the calls, by each key that the provider accepts. */
function calledOrigins(provider: Provider, place: { baseUrl: string; other: string }): string[] {
  const urls = keys.flatMap((key) =>
    addressesOf(provider, buildChannel({ ...place, key, type: provider.type })),
  );
  // Without a base address, most results are not valid URLs.
  return [...new Set(urls.filter((url) => URL.canParse(url)).map(originOf))];
}

const places = providers.flatMap((provider) =>
  bases.flatMap((base) =>
    others.map((other) => {
      const place = { baseUrl: base || provider.baseUrl, other };
      return {
        name: `${provider.id} at '${place.baseUrl}' with '${other}'`,
        called: calledOrigins(provider, place),
        listed: keyOriginsOf(provider, place),
      };
    }),
  ),
);

/** If a key of Bedrock contains the region, only another key leads to another origin. */
const ofTheKey = /^https:\/\/bedrock-runtime\.(us-east-1|eu-west-1)\.amazonaws\.com$/;

describe('the host that a key is sent to', () => {
  it('is declared by every provider, for any channel', () => {
    for (const { name, called, listed } of places) {
      const isOfTheKey = listed.includes('https://bedrock-runtime.<region of the key>');
      const elsewhere = called.filter((one) => !listed.includes(one) && !(isOfTheKey && ofTheKey.test(one)));
      expect(elsewhere, name).toEqual([]);
    }
    expect(new Set(places.flatMap(({ called }) => called)).size).toBeGreaterThan(40);
  });

  it('is never chosen by the name of a model, a path or a version', () => {
    for (const { name, called } of places) expect(called, name).toSatisfy(isWithoutEvil);
  });

  it('is not chosen by a model where the host has a placeholder', () => {
    const provider = providers.find(({ id }) => id === 'custom')!;
    for (const baseUrl of [
      'http://{model}:8000',
      'https://api-inference.{model}scope.cn/v1',
      'https://api.test{model}',
      'https:{model}/x',
      'https:\t/{model}/x',
      'https:\\\\{model}\\x',
      'https://{model}@api.test/x',
      'https://api.test:{model}/x',
    ]) {
      for (const url of addressesOf(provider, buildChannel({ type: 8, baseUrl }))) {
        const authority = /^[^:]*:[/\\\s]*([^/\\?#]*)/.exec(url)![1]!;
        expect(baseUrl, url).toContain(authority);
      }
    }
  });
});

const isWithoutEvil = (origins: string[]): boolean => !origins.some((origin) => origin.includes('evil.test'));
