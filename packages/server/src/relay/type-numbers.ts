import type { Provider } from './types/index.ts';

/**
 * Numbers up to 9000 are those of other gateways, from which channels are imported, and mean the same vendors here.
 * Tollgate's own numbers: 9001 is the sandbox, 9002 a server of tools, the presets begin at 9101 (relay/presets).
 */

/** Numbers of channel types that must not be reused: stored channels and price tables may still contain them. */
export const retiredTypes: ReadonlyMap<number, string> = new Map([
  [11, 'kept for channels of Google PaLM 2, which Google closed'],
  [21, 'kept for channels of the library of AI Proxy, which closed'],
  [28, 'never used'],
  [29, 'never used'],
  [30, 'never used'],
  [32, 'never used'],
]);

/**
 * Numbers that other gateways of this kind store for vendors without a folder here, by the name of the folder that
 * may have them: imported channels must not become another vendor's.
 */
const reservedTypes: ReadonlyMap<number, string> = new Map([
  [2, 'midjourney-proxy'],
  [5, 'midjourney-proxy-plus'],
  [36, 'suno'],
  [50, 'kling'],
  [51, 'jimeng'],
  [52, 'vidu'],
  [54, 'doubao-video'],
  [55, 'sora'],
  [56, 'replicate'],
  [57, 'codex'],
]);

/** Providers by their numbers. Throws if a number is retired, reserved for another vendor or used twice. */
export function byTypeNumber<Kind extends Pick<Provider, 'type' | 'id'>>(
  providers: readonly Kind[],
): ReadonlyMap<number, Kind> {
  const found = new Map<number, Kind>();
  for (const provider of providers) {
    const { id, type } = provider;
    const other = found.get(type)?.id ?? reservedTypes.get(type) ?? id;
    const retired = retiredTypes.get(type);
    if (retired !== undefined) throw new Error(`${id}: the number ${type} is retired (${retired})`);
    if (other !== id || found.has(type)) throw new Error(`${id}: the number ${type} is that of ${other}`);
    found.set(type, provider);
  }
  return found;
}
