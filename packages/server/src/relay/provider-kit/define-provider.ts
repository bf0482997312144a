import type { Words } from '@tollgate/contract';
import type { AddressHint, Channel, LocalAnswer, ProtocolId, Provider } from '../types/index.ts';

/** Text in both languages; a plain string is the same in both: a brand, or the format of a key. */
type Label = Words | string;

/** The required fields of a provider; all others have a default. */
type Declared = Pick<Provider, 'type' | 'id' | 'endpoints'> &
  Partial<Omit<Provider, 'name' | 'hints'>> & {
    name: Label;
    hints?: { key?: Label; other?: Label; address?: AddressHint };
  };

/** Adds the defaults of most providers: a bearer key, no models of its own, a chat call as test. */
export const defineProvider = ({ name, hints = {}, ...declared }: Declared): Provider => ({
  baseUrl: '',
  name: inBoth(name),
  hints: {
    key: hints.key ? inBoth(hints.key) : null,
    other: hints.other ? inBoth(hints.other) : null,
    address: hints.address ?? null,
  },
  ownedBy: declared.id,
  models: [],
  headers: bearer,
  streamUsage: true,
  testable: true,
  ...declared,
});

const inBoth = (label: Label): Words => (typeof label === 'string' ? { zh: label, en: label } : label);

/** The key as `Authorization: Bearer`; no header for a server without keys. */
export const bearer = (channel: Channel): Record<string, string> =>
  channel.key === '' ? {} : { authorization: `Bearer ${channel.key}` };

/** Protocols with several calls under one address, the usual one first: the caller's path selects one. */
const calls: Partial<Record<ProtocolId, readonly string[]>> = {
  'openai-images': ['/generations', '/edits'],
  'openai-audio': ['/speech', '/transcriptions', '/translations'],
};

/** The last part of the path of a call for images or sound, `/edits`; '' for protocols with one call. */
export function callOf(protocol: ProtocolId, path: string): string {
  const [usual = '', ...others] = calls[protocol] ?? [];
  return others.find((call) => path.endsWith(call)) ?? usual;
}

/** An answer that was received before the call was sent: the last of several requests that make up one call. */
export const finishedAnswer = (body: Buffer, status = 200): LocalAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  headDelayMs: 0,
  chunks: [{ delayMs: 0, bytes: body }],
  ending: 'end',
});
