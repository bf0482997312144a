import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overriddenHeaders } from './header-override.ts';
import { headerFault, readHeaderOverride } from './types/index.ts';

const sent = (
  override: Record<string, string>,
  caller: Record<string, string> = {},
  before: Record<string, string> = {},
) => overriddenHeaders(before, { key: 'sk-own', headerOverride: readHeaderOverride(override) }, caller);

/** Headers that identify or locate a caller at this site: no override receives them. */
const callerSecrets = {
  authorization: 'Bearer sk-of-tollgate',
  'x-api-key': 'sk-of-tollgate-1',
  'x-goog-api-key': 'sk-of-tollgate-2',
  'api-key': 'sk-of-tollgate-3',
  'mj-api-secret': 'sk-of-tollgate-4',
  'sec-websocket-protocol': 'openai-insecure-api-key.sk-of-tollgate-5',
  cookie: 'session=secret-6',
  'proxy-authorization': 'secret-7',
  'x-forwarded-for': 'address-8',
  'x-forwarded-access-token': 'secret-9',
  'x-real-ip': 'address-10',
  'cf-connecting-ip': 'address-11',
  'x-tollgate-max-cost': '12',
};

describe('the header override of a channel', () => {
  it('sets headers over those of the provider, whatever their case, with the channel’s own key', () => {
    const { headers, secrets } = sent(
      { 'X-Own': 'mine', Authorization: 'Token {api_key}' },
      {},
      { authorization: 'Bearer sk-own', accept: '*/*' },
    );
    expect(headers).toEqual({ authorization: 'Token sk-own', accept: '*/*', 'X-Own': 'mine' });
    expect(secrets).toEqual(['Token sk-own']);
  });

  it('passes harmless headers of the caller by name, by expression, or all', () => {
    const caller = {
      ...callerSecrets,
      'user-agent': 'cli/1',
      'x-stainless-os': 'Linux',
      'x-run': '7',
      host: 'h',
    };
    expect(
      sent({ 'x-agent': '{client_header:User-Agent}', 'x-none': '{client_header:x-absent}' }, caller).headers,
    ).toEqual({ 'x-agent': 'cli/1' });
    expect(sent({ 're:^(?:x-stainless-|x-forwarded)': '' }, caller).headers).toEqual({
      'x-stainless-os': 'Linux',
    });
    expect(sent({ '*': '' }, caller).headers).toEqual({
      'user-agent': 'cli/1',
      'x-stainless-os': 'Linux',
      'x-run': '7',
    });
  });

  it('never gives an upstream a secret of the caller, whatever is written in it', () => {
    const names = Object.keys(callerSecrets);
    const name = fc.oneof(
      fc.constantFrom('*', 're:.*', 'regex:(?i)KEY|auth', 'x-a'),
      fc.constantFrom(...names),
    );
    const text = fc.oneof(
      fc.constantFrom(...names).map((each) => `{client_header:${each}}`),
      fc.constantFrom('', '{api_key}', 'x {client_header:authorization}', '{ client_header:cookie}'),
    );
    fc.assert(
      fc.property(fc.dictionary(name, text), (override) => {
        const { headers } = sent(override, callerSecrets);
        for (const secret of Object.values(callerSecrets))
          expect(Object.values(headers)).not.toContain(secret);
      }),
    );
  });

  it.each([
    ['host', 'x', 'name'],
    ['content-length', '5', 'name'],
    ['transfer-encoding', 'chunked', 'name'],
    ['a b', 'x', 'name'],
    ['re:(', '', 'name'],
    ['x-a', 'two\nlines', 'value'],
    ['x-a', 'ü', 'value'],
    ['x-a', '{client_header:authorization}', 'value'],
    ['x-a', 'x {client_header:user-agent}', 'value'],
    ['x-a', '{other_key}', 'value'],
    ['x-a', '', 'value'],
    ['x-a', '{"json":1}', undefined],
    ['x-a', 'Bearer {api_key}', undefined],
    ['*', '', undefined],
  ])('of %s: %s is refused where it cannot be carried out', (name, value, fault) => {
    expect(headerFault(name, value)).toBe(fault);
    expect(readHeaderOverride({ [name]: value }) === null).toBe(fault !== undefined);
  });

  it('leaves the key out where no header can carry it', () => {
    const headerOverride = readHeaderOverride({ 'x-key': '{api_key}' });
    expect(overriddenHeaders({}, { key: '{\n"a":1}', headerOverride }, {}).headers).toEqual({});
  });
});
