import { AppError } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { channelTypes } from '../../../relay/registry.ts';
import { type ChannelFields, checkExtra, keyDestination, tidyFields } from './check.ts';
import { checkKey, checkSendable, keyHint, splitKeys } from './keys.ts';

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
  header_override: '',
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
  it('are normalized before they are stored', () => {
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
    [
      'a name and a password in its address',
      { base_url: 'https://u:p@a.test/v1' },
      'channel_base_url_invalid',
    ],
    ['a name in its address', { base_url: 'https://u@a.test' }, 'channel_base_url_invalid'],
    ['a password in its address', { base_url: 'https://:p@a.test' }, 'channel_base_url_invalid'],
    ['an @ in the path of its address', { base_url: 'https://a.test/@u:p/v1' }, 'accepted'],
    ['a full address with a slot', { base_url: 'https://api.example.com/{model}/chat' }, 'accepted'],
    ['a slot for a host', { type: 8, base_url: 'http://{model}:8000' }, 'channel_base_url_invalid'],
    ['a slot in a host', { type: 8, base_url: 'https://a.{model}.test/v1' }, 'channel_base_url_invalid'],
    ['a slot behind a host', { type: 8, base_url: 'https://a.test{model}' }, 'channel_base_url_invalid'],
    ['an escaped slot', { type: 8, base_url: 'https://%7Bmodel%7D.test/' }, 'channel_base_url_invalid'],
    ['a slot without slashes', { type: 8, base_url: 'https:{model}/x' }, 'channel_base_url_invalid'],
    ['a slot for a port', { type: 8, base_url: 'https://a.test:{model}/' }, 'channel_base_url_invalid'],
    ['a slot with a tab', { type: 8, base_url: 'https://{mo\tdel}.test/' }, 'channel_base_url_invalid'],
    ['a proxy of an unknown kind', { setting: '{"proxy":"ftp://p:1"}' }, 'channel_proxy_invalid'],
    ['a proxy that is no text', { setting: '{"proxy":5}' }, 'channel_proxy_invalid'],
    ['a socks proxy', { setting: '{"proxy":"socks5h://u:p@p:1080"}' }, 'accepted'],
    ['broken JSON', { model_mapping: '{' }, 'channel_json_invalid'],
    ['a list for an object', { param_override: '[]' }, 'channel_json_not_object'],
    ['a text for an object', { status_code_mapping: '"x"' }, 'channel_json_not_object'],
    ['a number for an object', { model_mapping: '7' }, 'channel_json_not_object'],
    ['a list of settings', { setting: '[{}]' }, 'channel_json_not_object'],
    ['null for none', { param_override: 'null' }, 'accepted'],
    ['a mapping to a number', { model_mapping: '{"a":1}' }, 'channel_member_type'],
    ['a mapping in a circle', { model_mapping: '{"a":"b","b":"c","c":"a"}' }, 'channel_mapping_cycle'],
    ['a mapping into a circle', { model_mapping: '{"x":"a","a":"b","b":"a"}' }, 'channel_mapping_cycle'],
    ['a chain and a self-mapping', { model_mapping: '{"a":"b","b":"c","d":"d"}' }, 'accepted'],
    ['a status that is none', { status_code_mapping: '{"400":"9000"}' }, 'channel_member_type'],
    ['statuses as number or text', { status_code_mapping: '{"400":500,"429":"503"}' }, 'accepted'],
    ['Vertex without a region', { type: 41 }, 'channel_region_missing'],
    [
      'Vertex regions without a default',
      { type: 41, other: '{"m":"us-east1"}' },
      'channel_region_default_missing',
    ],
    ['a region that leaves the host name', { type: 41, other: 'evil.com/' }, 'channel_region_invalid'],
    [
      'a bucket for the videos of Vertex',
      { type: 41, other: '{"default":"us-east1","storageUri":"gs://videos/out"}' },
      'accepted',
    ],
    [
      'a bucket that is none',
      { type: 41, other: '{"default":"us-east1","storageUri":"https://videos"}' },
      'channel_bucket_invalid',
    ],
    [
      'a bucket without a region',
      { type: 41, other: '{"storageUri":"gs://videos"}' },
      'channel_region_default_missing',
    ],
    ['Vertex regions', { type: 41, other: '{"default":"us-east1","m":"europe-west1"}' }, 'accepted'],
  ])('with %s are validated', (_name, changes, expected) => {
    expect(refusal(changes)).toBe(expected);
  });
});

describe('the template of an advanced custom channel', () => {
  const wordsOf = (other: string, before?: { type: number; other: string }): string => {
    try {
      checkExtra({ type: 58, other }, channelTypes, before);
    } catch (error) {
      if (error instanceof AppError) return error.say('en');
      throw error;
    }
    return 'accepted';
  };
  const mustBePath = 'must be a path that begins with one /';

  it.each([
    ['', 'accepted'],
    ['{"paths":{"openai-chat":"/api/{model}/chat"},"headers":{"x-api-key":"{key}"}}', 'accepted'],
    ['{"paths":null}', 'accepted'],
    ['{', 'other: not a valid JSON string'],
    ['[]', 'other must be a JSON object'],
    ['{"path":{}}', 'path in other has no effect'],
    ['{"paths":"/v1"}', 'paths in other must be an object'],
    ['{"paths":{"openai":"/v1"}}', 'paths.openai in other has no effect'],
    ['{"paths":{"openai-chat":"//evil.test/x"}}', `paths.openai-chat in other ${mustBePath}`],
    ['{"paths":{"openai-chat":7}}', `paths.openai-chat in other ${mustBePath}`],
    ['{"headers":[]}', 'headers in other must be an object'],
    ['{"headers":{"x-ok":"a","Host":"evil.test"}}', 'headers.Host in other must be a header'],
    ['{"headers":{"x-a":"a\\nb"}}', 'headers.x-a in other must be a header'],
  ])('%s is validated by name: %s', (other, words) => {
    expect(wordsOf(other)).toContain(words);
  });

  it('may stay as it is stored, and is validated once its text or its type changes', () => {
    expect(wordsOf('{', { type: 58, other: '{' })).toBe('accepted');
    expect(wordsOf('{', { type: 1, other: '{' })).toContain('not a valid JSON');
    expect(wordsOf('[', { type: 58, other: '{' })).toContain('not a valid JSON');
  });
});

describe('the destination of a key', () => {
  const at = (base_url: string, setting = '') =>
    keyDestination({ type: 1, base_url, other: '', setting }, channelTypes);

  it('is the same for another path of the host, and for the default written out', () => {
    expect(at('')).toBe(at('https://api.openai.com/v2'));
  });

  it('differs by host, port and scheme', () => {
    const all = ['', 'https://api.openai.com:8443', 'http://api.openai.com', 'https://evil.example'].map(
      (url) => at(url),
    );
    expect(new Set(all).size).toBe(4);
  });

  it('follows how each provider uses its fields', () => {
    const of = (type: number, base_url: string, other = '') =>
      keyDestination({ type, base_url, other, setting: '' }, channelTypes);
    // Vertex: regions are hosts, unless the channel has a host of its own.
    expect(of(41, '', 'us-east1')).not.toBe(of(41, '', 'europe-west1'));
    expect(of(41, '', '{"default":"us-east1","m":"asia-east1"}')).not.toBe(of(41, '', 'us-east1'));
    expect(of(41, '', '{"default":"us-east1","m":"us-east1"}')).toBe(of(41, '', 'us-east1'));
    expect(of(41, 'https://own.test', 'us-east1')).toBe(of(41, 'https://own.test', 'eu'));
    // A type that has another host of its vendor also sends the key there.
    expect(of(10, 'https://own.test')).not.toBe(of(1, 'https://own.test'));
    expect(of(45, 'https://ark.cn-beijing.volces.com')).not.toBe(of(1, 'https://ark.cn-beijing.volces.com'));
    expect(of(33, 'https://bedrock-runtime.us-east-1.amazonaws.com')).not.toBe(
      of(1, 'https://bedrock-runtime.us-east-1.amazonaws.com'),
    );
    // An API version is not a host.
    expect(of(3, 'https://r.azure.test', '2024-02-01')).toBe(of(3, 'https://r.azure.test'));
  });

  it('is never the same for an address with a placeholder in its host', () => {
    expect(at('http://{model}:8000')).not.toBe(at('http://model:8000'));
  });

  it('includes the proxy where the connection is not encrypted', () => {
    expect(at('http://10.0.0.1', '{"proxy":"http://a:1"}')).not.toBe(at('http://10.0.0.1'));
    expect(at('https://x.example', '{"proxy":"http://a:1"}')).toBe(at('https://x.example'));
  });
});

describe('a value that is sent in headers', () => {
  it.each(['sk-\u200bkey', '密钥', 'a\r\nx: y', 'a\tb', '“key”'])(
    'is refused when no header can have it: %j',
    (text) => {
      const unsendable = { code: 'channel_text_unsendable' };
      expect(() => checkKey(1, text)).toThrow(expect.objectContaining(unsendable));
      expect(() => checkSendable('openai_organization', text)).toThrow(expect.objectContaining(unsendable));
    },
  );

  it('may be any visible ASCII, and a key that is a file may contain more', () => {
    expect(() => checkKey(1, 'ak|sk with blanks~!')).not.toThrow();
    expect(() => checkKey(41, '{"client_id": "é"}')).not.toThrow();
  });
});

describe('keys', () => {
  it('are one per line, each once, and a whole text for Vertex', () => {
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

describe('members of a channel without effect', () => {
  const messageOf = (changes: Partial<ChannelFields>, before?: ChannelFields): string => {
    try {
      tidyFields({ ...good, ...changes }, before);
    } catch (error) {
      if (error instanceof AppError) return error.say('en');
      throw error;
    }
    return 'accepted';
  };
  const idle = (member: string, field = 'setting') =>
    `${member} in ${field} has no effect in this version: remove it, then save again`;

  it.each([
    [{ setting: '{"system_prompts":"be kind"}' }, idle('system_prompts')],
    [{ setting: '{"system_prompt":7}' }, 'system_prompt in setting must be text'],
    [{ setting: '{"header_override":{"x":"y"}}' }, idle('header_override')],
    [{ setting: '{"thinking_to_contents":true}' }, idle('thinking_to_contents')],
    [{ setting: '{"__proto__x":1}' }, idle('__proto__x')],
    [{ param_override: '{"operations":[{"mode":"set"}]}' }, idle('operations.0.path', 'param_override')],
    [{ setting: '{"force_format":"true"}' }, 'force_format in setting must be true or false'],
    [{ setting: '{"proxy":7}' }, 'The proxy must start with http://, https://, socks5:// or socks5h://'],
  ])('%j are refused by name', (changes, words) => {
    expect(messageOf(changes)).toBe(words);
  });

  it.each([
    { setting: '{"force_format":true,"thinking_to_content":false,"proxy":"","drain":true}' },
    { setting: '{"pass_through_body_enabled":true,"system_prompt":"be kind","system_prompt_override":true}' },
    { param_override: '{"temperature":0,"operations":"a field of the body"}' },
    { param_override: '{"operations":[{"mode":"set","path":"temperature","value":0.4}]}' },
  ])('%j has none of them', (changes) => {
    expect(messageOf(changes)).toBe('accepted');
  });

  it('may stay where a stored row has them, but not change', () => {
    const before = { ...good, setting: '{"system_prompts":"be kind"}' };
    expect(messageOf({ setting: '{"system_prompts":"be kind","drain":true}' }, before)).toBe('accepted');
    expect(messageOf({ setting: '{"system_prompts":"be brief"}' }, before)).toBe(idle('system_prompts'));
    expect(messageOf({ setting: '{"drain":true}' }, before)).toBe('accepted');
  });
});
