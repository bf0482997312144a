import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProtocolId, Provider } from '../../relay/types/index.ts';

/** What is particular about a provider, declared in `fixtures/conformance.json` of its folder; all of it may be absent. */
export interface Particulars {
  /** A key of several parts; `test-channel-key` stands for the secret. */
  key?: string;
  /** The key is in no call as it is: it signs, or is exchanged for a token before the call is sent. */
  keyIsSpent?: true;
  protocols?: Partial<Record<ProtocolId, ProtocolParticulars>>;
}
/** What is particular about one protocol of a provider. */
export interface ProtocolParticulars {
  /** Where this protocol is asked for, if it is not offered at the provider's own address. */
  baseUrl?: string;
  /** Stands before the names of models, where only those of one family are offered. */
  family?: string;
  /** It writes sound down, and does not speak. */
  hears?: true;
  /** Its requests name no model: what is behind the channel brings its own. */
  bringsItsModel?: true;
  /** The field of its requests that names the model; `model` where nothing is said. */
  namesModelAs?: string;
  /** The call goes to an address of the vendor's that is not the channel's. */
  isElsewhere?: true;
}

/** Reads the particulars of a provider; none where its folder declares none. */
export function particularsOf({ id }: Pick<Provider, 'id'>): Particulars {
  const file = join(import.meta.dirname, '../../relay/providers', id, 'fixtures/conformance.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Particulars) : {};
}
