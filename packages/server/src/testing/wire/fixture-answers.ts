import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
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

/** The answers in a provider's fixtures. */
export function answersOf({ id }: Provider): FixtureAnswer[] {
  const folder = join(import.meta.dirname, '../../relay/providers', id, 'fixtures');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name !== 'conformance.json' && extname(name) in contentTypes)
    .map((name) => ({
      name,
      contentType: contentTypes[extname(name)]!,
      bytes: readFileSync(join(folder, name)),
    }));
}

/** The call that a provider makes for a caller; undefined where it carries none. */
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
