import { describe, expect, it } from 'vitest';
import { parseChannel } from './parse.ts';
import type { ChannelRow } from './types.ts';

const row: ChannelRow = {
  id: 7,
  type: 1,
  key_sealed: 'sealed',
  key_hash: 'hash',
  max_input_tokens: 0,
  remark: '',
  multi_key_mode: '',
  openai_organization: 'org-1',
  test_model: 'gpt-4o-mini',
  status: 1,
  name: 'main',
  weight: 3,
  created_time: 1_700_000_000,
  test_time: 0,
  response_time: 0,
  test_outcome: 0,
  test_failure: null,
  base_url: '',
  other: '',
  balance: 0,
  balance_updated_time: 0,
  models: 'gpt-4o, gpt-4o-mini,,gpt-4o',
  group: 'default,vip',
  used_quota: 0,
  model_mapping: '{"gpt-4o":"gpt-4o-2024-11-20"}',
  status_code_mapping: '{"400":500}',
  priority: 5,
  auto_ban: 1,
  other_info: '',
  tag: null,
  setting: '{"proxy":" socks5://u:p@h:1 ","force_format":true,"drain":true}',
  param_override: '{"temperature":0}',
  header_override: '{"x-own":"{api_key}"}',
  header_secrets_sealed: null,
};

const parse = (changes: Partial<ChannelRow> = {}) => {
  const damaged: string[] = [];
  const routed = parseChannel(
    { ...row, ...changes },
    {
      key: 'sk-x',
      proxyPassword: '',
      headerSecrets: {},
      defaultBaseUrl: 'https://api.openai.com',
      onDamage: (field) => damaged.push(field),
    },
  );
  return { routed, damaged };
};

describe('reading a channel row', () => {
  it('gives the relay what it needs', () => {
    const { routed, damaged } = parse();
    expect(damaged).toEqual([]);
    expect(routed).toMatchObject({
      status: 1,
      groups: ['default', 'vip'],
      models: ['gpt-4o', 'gpt-4o-mini'],
      testModel: 'gpt-4o-mini',
      channel: {
        id: 7,
        key: 'sk-x',
        baseUrl: 'https://api.openai.com',
        organization: 'org-1',
        paramOverride: { temperature: 0 },
        setting: {
          forceFormat: true,
          thinkingToContent: false,
          proxy: 'socks5://u:p@h:1',
          passThroughBody: false,
          drain: true,
        },
        autoBan: true,
        priority: 5,
        weight: 3,
      },
    });
    expect(routed.channel.modelMapping['gpt-4o']).toBe('gpt-4o-2024-11-20');
    expect(routed.channel.statusCodeMapping['400']).toBe('500');
  });

  it('never takes an inherited property for a mapping', () => {
    expect(parse().routed.channel.modelMapping['constructor']).toBeUndefined();
  });

  it('prefers the row address, without its trailing slashes', () => {
    expect(parse({ base_url: 'https://own.example.com/api//' }).routed.channel.baseUrl).toBe(
      'https://own.example.com/api',
    );
  });

  it('treats damaged JSON as empty and names the field', () => {
    const { routed, damaged } = parse({ model_mapping: '{oops', setting: '[1]', param_override: 'null' });
    expect(damaged.toSorted()).toEqual(['model_mapping', 'setting']);
    expect(Object.keys(routed.channel.modelMapping)).toEqual([]);
    expect(routed.channel.setting.proxy).toBe('');
    expect(routed.channel.paramOverride).toBeNull();
  });
});
