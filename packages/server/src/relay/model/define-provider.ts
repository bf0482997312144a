import type { Channel } from './channel.ts';
import type { Provider } from './provider.ts';

/** What every provider must say; the rest has a sensible default. */
type Declared = Pick<Provider, 'type' | 'id' | 'name' | 'endpoints'> & Partial<Provider>;

/** Fills in what most providers have in common: a bearer key, no models of its own, a chat call to test. */
export const defineProvider = (declared: Declared): Provider => ({
  baseUrl: '',
  hints: { key: '', other: '' },
  ownedBy: declared.id,
  models: [],
  headers: bearer,
  streamUsage: false,
  testable: true,
  ...declared,
});

/** The key as `Authorization: Bearer`. */
export const bearer = (channel: Channel): Record<string, string> => ({
  authorization: `Bearer ${channel.key}`,
});
