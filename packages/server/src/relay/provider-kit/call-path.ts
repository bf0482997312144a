import type { ProtocolId } from '../types/index.ts';

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
