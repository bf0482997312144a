import type { Words } from '@tollgate/contract';
import type { AddressHint, Channel, Provider } from '../types/index.ts';

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

/** The key as `Authorization: Bearer`; no header for a server that has no keys. */
export const bearer = (channel: Channel): Record<string, string> =>
  channel.key === '' ? {} : { authorization: `Bearer ${channel.key}` };
