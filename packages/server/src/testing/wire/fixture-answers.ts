import { globSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { RelayError, type ProtocolId, type Provider, type UpstreamCall } from '../../relay/types/index.ts';
import { callOn, particularsOf } from './wire-tests.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.sse': 'text/event-stream',
  '.ndjson': 'application/x-ndjson',
  '.json': 'application/json',
};

/** An answer in a provider's fixtures. */
export interface FixtureAnswer {
  name: string;
  contentType: string;
  bytes: Buffer;
}

const vendors = join(import.meta.dirname, '../../relay/providers');

/** The answers in a provider's fixtures. In a shared folder, the names begin with the provider's id. */
export function answersOf({ id }: Provider): FixtureAnswer[] {
  return globSync([`${id}/fixtures/*`, `*/fixtures/${id}-*`], { cwd: vendors })
    .filter((path) => !path.endsWith('conformance.json') && extname(path) in contentTypes)
    .map((path) => ({
      name: basename(path),
      contentType: contentTypes[extname(path)]!,
      bytes: readFileSync(join(vendors, path)),
    }));
}

/** A provider's call for a caller; undefined if it does not support the protocol. */
export function callFor(provider: Provider, asked: ProtocolId, stream: boolean): UpstreamCall | undefined {
  const { key, protocols = {} } = particularsOf(provider);
  const { family = '', baseUrl } = protocols[asked] ?? {};
  try {
    return callOn(provider, asked, {
      model: `${family}m`,
      body: { stream },
      channel: { ...(key !== undefined && { key }), ...(baseUrl !== undefined && { baseUrl }) },
    });
  } catch (error) {
    if (error instanceof RelayError) return undefined;
    throw error;
  }
}
