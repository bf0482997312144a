import { AppError } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { type ChannelFields, keyDestination, tidyFields } from './check.ts';
import { keyHint, splitKeys } from './keys.ts';

const good: ChannelFields = {
  type: 1,
  name: 'main',
  base_url: '',
  other: '',
  models: 'gpt-4o',
  group: 'default',
  model_mapping: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
};

const refusal = (changes: Partial<ChannelFields>): string => {
  try {
    tidyFields({ ...good, ...changes });
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('the fields of a channel', () => {
  it('are tidied up before they are stored', () => {
    const tidy = tidyFields({
      ...good,
      name: ' main ',
      base_url: 'https://api.example.com/v1//',
      models: 'gpt-4o, gpt-4o-mini,gpt-4o,',
      group: ' vip ,',
    });
    expect(tidy).toMatchObject({
      name: 'main',
      base_url: 'https://api.example.com/v1',
      models: 'gpt-4o,gpt-4o-mini',
      group: 'vip',
    });
    expect(tidyFields({ ...good, group: '' }).group).toBe('default');
    expect(tidyFields({ ...good, type: 18 }).other).toBe('v2.1');
  });

  it.each<[string, Partial<ChannelFields>, string]>([
    ['no name', { name: ' ' }, 'channel_incomplete'],
    ['no model', { models: ' , ' }, 'channel_models_missing'],
    ['a model name beyond the column', { models: 'm'.repeat(256) }, 'model_name_too_long'],
    ['a group name beyond the column', { group: 'g'.repeat(65) }, 'group_name_too_long'],
    ['an address without scheme', { base_url: 'api.example.com' }, 'channel_base_url_invalid'],
    ['a file address', { base_url: 'file:///etc/passwd' }, 'channel_base_url_invalid'],
    ['a full address with a slot', { base_url: 'https://api.example.com/{model}/chat' }, 'accepted'],
    ['a proxy of an unknown kind', { setting: '{"proxy":"ftp://p:1"}' }, 'channel_proxy_invalid'],
    ['a proxy that is no text', { setting: '{"proxy":5}' }, 'channel_proxy_invalid'],
    ['a socks proxy', { setting: '{"proxy":"socks5h://u:p@p:1080"}' }, 'accepted'],
    ['broken JSON', { model_mapping: '{' }, 'channel_json_invalid'],
    ['a list for an object', { param_override: '[]' }, 'channel_json_invalid'],
    ['null for none', { param_override: 'null' }, 'accepted'],
    ['a mapping to a number', { model_mapping: '{"a":1}' }, 'channel_json_invalid'],
    ['a mapping in a circle', { model_mapping: '{"a":"b","b":"c","c":"a"}' }, 'channel_mapping_cycle'],
    ['a mapping into a circle', { model_mapping: '{"x":"a","a":"b","b":"a"}' }, 'channel_mapping_cycle'],
    ['a chain and a self-mapping', { model_mapping: '{"a":"b","b":"c","d":"d"}' }, 'accepted'],
    ['a status that is none', { status_code_mapping: '{"400":"9000"}' }, 'channel_json_invalid'],
    ['statuses as number or text', { status_code_mapping: '{"400":500,"429":"503"}' }, 'accepted'],
    ['Vertex without a region', { type: 41 }, 'channel_region_missing'],
    [
      'Vertex regions without a default',
      { type: 41, other: '{"m":"us-east1"}' },
      'channel_region_default_missing',
    ],
    ['a region that leaves the host name', { type: 41, other: 'evil.com/' }, 'channel_region_invalid'],
    ['Vertex regions', { type: 41, other: '{"default":"us-east1","m":"europe-west1"}' }, 'accepted'],
  ])('with %s are judged', (_name, changes, expected) => {
    expect(refusal(changes)).toBe(expected);
  });
});

describe('where a key goes', () => {
  const at = (base_url: string, setting = '') =>
    keyDestination({ base_url, setting }, 'https://api.openai.com');

  it('is the same for another path of the host, and for the default written out', () => {
    expect(at('')).toBe(at('https://api.openai.com/v2'));
  });

  it('differs by host, port and scheme', () => {
    const all = ['', 'https://api.openai.com:8443', 'http://api.openai.com', 'https://evil.example'].map(
      (url) => at(url),
    );
    expect(new Set(all).size).toBe(4);
  });

  it('includes the proxy where the way is not encrypted', () => {
    expect(at('http://10.0.0.1', '{"proxy":"http://a:1"}')).not.toBe(at('http://10.0.0.1'));
    expect(at('https://x.example', '{"proxy":"http://a:1"}')).toBe(at('https://x.example'));
  });
});

describe('keys', () => {
  it('stand one a line, each once, and whole for Vertex', () => {
    expect(splitKeys(1, ' sk-a \r\n\nsk-b\nsk-a')).toEqual(['sk-a', 'sk-b']);
    expect(splitKeys(41, '{\n"type":"service_account"\n}')).toHaveLength(1);
    expect(splitKeys(1, ' \n ')).toEqual([]);
  });

  it('show at most seven characters', () => {
    expect(keyHint('sk-0123456789abcdef0123456789abcdef')).toBe('sk-••••cdef');
    expect(keyHint('0123456789abcdef')).toBe('••••cdef');
    expect(keyHint('short')).toBe('••••');
    expect(keyHint('{"private_key":"x"}')).toBe('JSON');
  });
});
